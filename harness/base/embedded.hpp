#pragma once

#include <map>
#include <string>

namespace warpclock {

/// The device code that the program carries, by path below probes/: "shuffle/latency.cu", "probe.cuh".
[[nodiscard]] std::map<std::string, std::string> embedded_probes();

/// The configs that the program carries, by path below configs/: "shuffle.yaml", "instructions/integer.yaml".
[[nodiscard]] std::map<std::string, std::string> embedded_configs();

/// The style and script of report.html, by file name: "report.css", "report.js".
[[nodiscard]] std::map<std::string, std::string> embedded_assets();

}  // namespace warpclock
