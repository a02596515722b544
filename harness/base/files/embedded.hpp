#pragma once

#include <map>
#include <string>

namespace warpclock {

/// The device code that the program carries, by path below probes/: "shuffle/latency.cu", "probe.cuh".
[[nodiscard]] std::map<std::string, std::string> embedded_probes();

/// The configs that the program carries, by path below configs/: "shuffle.yaml", "instructions/integer.yaml".
[[nodiscard]] std::map<std::string, std::string> embedded_configs();

/// The styles and scripts of the pages, and the data that report.html draws and compares with, by file name:
/// "page.css", "suite.js", "published.yaml".
[[nodiscard]] std::map<std::string, std::string> embedded_assets();

/// The forms of machine instructions, by file name: "sm_90a.txt" (fields/form_table.hpp).
[[nodiscard]] std::map<std::string, std::string> embedded_forms();

}  // namespace warpclock
