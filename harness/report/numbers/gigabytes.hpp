#pragma once

#include <optional>
#include <string>
#include <vector>

#include "gpu/device/device.hpp"
#include "plan/case.hpp"
#include "record/outline.hpp"

namespace warpclock {

constexpr const char* rate_unit = "B/clk/SM";

/// GB/s of all SMs together at that clock. Nothing if the unit does not fit, or if the SMs or the clock are unknown.
[[nodiscard]] std::optional<double> gigabytes_per_second(double rate, const std::string& unit, int sms, double sm_mhz);

/// GB/s that the memory bus can carry: its width times its highest clock, with two transfers per clock. This is how the
/// driver states the clocks of HBM and GDDR. Nothing if one of them is unknown.
[[nodiscard]] std::optional<double> memory_peak(const DeviceFacts& device);

/// The same for an estimate that a case published.
[[nodiscard]] std::optional<double> gigabytes_per_second(const ProbeOutline& probe, const CaseRecord& row,
                                                         const Estimate& estimate);
/// Whether any case has such a value. If so, the table has a column of GB/s next to the estimate.
[[nodiscard]] bool has_gigabytes(const ProbeOutline& probe, const std::string& estimate);

/// Fills in the limits of measures that refer to memory: what the bus carries per microsecond and SM, plus what L2 can
/// answer if the data are read repeatedly. There is no limit if the data are less than twice as large as L2, or are in
/// another GPU's memory.
void with_memory_limits(std::vector<Case>& cases, const DeviceFacts& device);

/// The median of the clocks measured around the points of a feature's curve; 0 if there is none.
[[nodiscard]] double clock_around(const Feature& feature, const std::vector<const CaseRecord*>& cases);

/// "9107 GB/s", "98.4 GB/s".
[[nodiscard]] std::string gigabytes_text(double value);

}  // namespace warpclock
