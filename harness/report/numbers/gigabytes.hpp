#pragma once

#include <optional>
#include <string>
#include <vector>

#include "gpu/device/device.hpp"
#include "plan/case.hpp"
#include "record/outline.hpp"

namespace warpclock {

constexpr const char* rate_unit = "B/clk/SM";

/// GB/s of all SMs together at that clock; nothing where the unit is another one, or the SMs or the clock are unknown.
[[nodiscard]] std::optional<double> gigabytes_per_second(double rate, const std::string& unit, int sms, double sm_mhz);

/// GB/s that the memory's bus can carry: its width times its highest clock, two transfers a clock, which is how the
/// driver states the clocks of HBM and of GDDR. Nothing where one of them is unknown.
[[nodiscard]] std::optional<double> memory_peak(const DeviceFacts& device);

/// The same of what a case published.
[[nodiscard]] std::optional<double> gigabytes_per_second(const ProbeOutline& probe, const CaseRecord& row,
                                                         const Estimate& estimate);
/// Whether any case has that: then a column of GB/s stands beside the estimate's.
[[nodiscard]] bool has_gigabytes(const ProbeOutline& probe, const std::string& estimate);

/// Puts into the measures' limits that are of the memory what its bus carries a microsecond and SM, and what L2 can
/// answer besides when the data are gone through again. No limit where the data are less than twice as large as L2, or
/// another GPU's.
void with_memory_limits(std::vector<Case>& cases, const DeviceFacts& device);

/// The clock that was measured around the points of a feature's curve, in the middle; 0 where it was not.
[[nodiscard]] double clock_around(const Feature& feature, const std::vector<const CaseRecord*>& cases);

/// "9107 GB/s", "98.4 GB/s".
[[nodiscard]] std::string gigabytes_text(double value);

}  // namespace warpclock
