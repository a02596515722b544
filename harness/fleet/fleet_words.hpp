#pragma once

#include <string>

#include "fleet/fleet.hpp"

namespace warpclock {

/// "812 comparisons in 8 GPUs: one outlier on one GPU. ...", or why there is none.
[[nodiscard]] std::string said(const Fleet& fleet, const FleetModel& model);
/// "corrected 3, retired pages 1", "none", or empty if the record has no counts.
[[nodiscard]] std::string memory_errors_in_words(const DeviceFacts& device);
/// "throttled in 12 rows (sw-power-cap)", or empty.
[[nodiscard]] std::string throttling_in_words(const FleetGpu& gpu);
/// "+2.1 %", "-0.04 %".
[[nodiscard]] std::string deviation_in_words(double share);
/// What is wrong with a GPU, from its errors and throttling; empty if nothing is known.
[[nodiscard]] std::string conditions_in_words(const FleetGpu& gpu);

}  // namespace warpclock
