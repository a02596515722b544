#pragma once

#include <string>

#include "base/terminal.hpp"
#include "fleet/baseline.hpp"
#include "fleet/fleet.hpp"

namespace warpclock {

/// For a terminal: for each model its GPUs, outliers first, then the rows whose values differ most. Long lists are cut,
/// and say of how many. Ends with a newline.
[[nodiscard]] std::string fleet_text(const Fleet& fleet, const Style& style);
[[nodiscard]] std::string gate_text(const Fleet& fleet, const GateResult& gate, const Style& style);

/// The same in full. `gate` may be null.
[[nodiscard]] std::string fleet_json(const Fleet& fleet, const GateResult* gate);

/// "8 GPUs", "one GPU: it has nothing to be compared with".
[[nodiscard]] std::string size_in_words(const FleetModel& model);
/// "812 of 950 rows find a deviation of 2 % in 99 of 100 cases; the values of the others scatter too much."
[[nodiscard]] std::string found_in_words(const FleetModel& model);
/// "corrected 3, retired pages 1", "none", or empty if the record has no counts.
[[nodiscard]] std::string memory_errors_in_words(const DeviceFacts& device);
/// "12 of them throttled (sw-power-cap)", or empty.
[[nodiscard]] std::string throttling_in_words(const FleetGpu& gpu);
/// "+2.1 %", "-0.04 %".
[[nodiscard]] std::string deviation_in_words(double share);
/// What is wrong with a GPU, from its errors, throttling and missing rows; empty if nothing is known.
[[nodiscard]] std::string conditions_in_words(const FleetGpu& gpu);

}  // namespace warpclock
