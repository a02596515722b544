#pragma once

#include <string>
#include <vector>

#include "base/terminal.hpp"
#include "inspect/inspection.hpp"

namespace warpclock {

/// What a kernel engineer asks first: for each kernel its needs and how many blocks fit, for each loop one trip.
[[nodiscard]] std::string inspection_text(const Inspection& inspection, const Style& style);

// Sentences that the page has too.

/// "40 registers, 1 barrier, 400 B of shared memory"
[[nodiscard]] std::string needs_text(const KernelInspection& kernel);
/// "24 stores and 30 loads of spilled registers (216 B), 12 in loops"; empty if there are none.
[[nodiscard]] std::string spills_text(const SpillFacts& spills);
/// "live registers: at most 14, at 0x0250"; empty if it is not known.
[[nodiscard]] std::string live_text(const KernelInspection& kernel);
/// "8 of 256 threads (registers)"
[[nodiscard]] std::string occupancy_text(const Occupancy& occupancy);
/// "0x01f0"
[[nodiscard]] std::string address_text(std::int64_t address);
/// "gemm.cu:12-30"; empty without lines.
[[nodiscard]] std::string lines_text(const std::vector<LineRange>& lines);

/// A fact of a loop and its name.
struct FactLine {
  std::string name, text;
};
[[nodiscard]] std::vector<FactLine> facts_of_loop(const LoopFacts& loop);
/// "pipes", then memory, flow and so on, as far as there is any.
[[nodiscard]] std::vector<FactLine> facts_of_mix(const Mix& mix);

/// One JSON object. Ends with a newline.
[[nodiscard]] std::string to_json(const Inspection& inspection);

/// The JSON Schema of to_json().
[[nodiscard]] std::string inspection_schema();

}  // namespace warpclock
