#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analyze/estimates.hpp"
#include "gpu/device/device.hpp"
#include "plan/parameters.hpp"
#include "plan/plan.hpp"
#include "record/outline.hpp"
#include "record/record.hpp"

namespace warpclock {

inline constexpr std::string_view same_gpu_words = "the same GPU";

/// "the same GPU", "another GPU", or "GPU not recorded" if a record has no UUID.
[[nodiscard]] std::string_view same_gpu(const DeviceFacts& a, const DeviceFacts& b);

/// "NVIDIA H200", or "unknown GPU".
[[nodiscard]] std::string name_of(const DeviceFacts& device);

/// The name of a page in links: "full" or "memory" for results, else "predictions", "blocks predictions".
[[nodiscard]] std::string page_name(const std::string& folder, const std::string& what = "");

/// The name of the board, and the settings of its clocks: "persistence on, power limit 700 W". Empty if nothing is
/// known.
[[nodiscard]] std::string board_in_words(const DeviceFacts& device);
[[nodiscard]] std::string clocks_in_words(const DeviceFacts& device);

/// What the SM clock of a record is, by which methods, and what NVML's is.
[[nodiscard]] std::string clock_in_words(const Provenance& provenance);

/// Why no number of the record that the SM clock is a factor of is right; empty if the two clocks agree.
[[nodiscard]] std::string timer_warning(const TimerRatio& timer);

/// The lowest and the highest SM clock that was measured around the cases: "1980 MHz", "1965 to 2100 MHz", or empty.
[[nodiscard]] std::string measured_clocks(const Record& record);

/// The number of decimals for a column of such values: 3 below 10, 2 below 1000, 1 below 100000, else none. Columns of
/// integers get none.
[[nodiscard]] int decimals(std::span<const double> values);

/// The number of decimals for a probe's column of estimates. Fitted values keep at least two, even if they are
/// integers, because the digits after the point were measured.
[[nodiscard]] int decimals(const ProbeOutline& probe, const std::string& estimate);

/// Fixed point, with a true minus sign; "–" for NaN; exponent form from 1e15 on.
[[nodiscard]] std::string fixed(double value, int decimals);

/// "up to 1980 MHz requested": the highest that NVML requests, which is no bound of what is measured; or empty.
[[nodiscard]] std::string requested_clock(const DeviceFacts& device);

/// "60 MiB" and "1980 MHz"; empty if the fact is unknown (0).
[[nodiscard]] std::string known_bytes(std::int64_t count);
[[nodiscard]] std::string known_megahertz(double value);

/// A share as "+3.4 %", "−0.5 %"; "0.0 %" has no sign.
[[nodiscard]] std::string signed_percent(double share);

/// "±0.02", the wider side of an asymmetric interval; empty if the method gives none.
[[nodiscard]] std::string interval(const Estimate& estimate, int decimals);

/// Rates by their highest case, everything else by its range; at most four. Empty if nothing is published.
[[nodiscard]] std::vector<Headline> headlines(const ProbeOutline& probe);

constexpr const char* rate_unit = "B/clk/SM";

/// A number of which the SM clock is a factor, with the interval that it gets from a clock that moved.
struct ClockedNumber {
  double value = 0, low = 0, high = 0;
  bool moved = false;
};

/// So much at a megahertz.
[[nodiscard]] ClockedNumber at_clock(double at_a_megahertz, const SmClock& clock);
/// "98.4", "98.4 (97.1 to 98.9)" if the clock moved.
[[nodiscard]] std::string clocked_text(const ClockedNumber& number, int decimals);
/// "1980", "2057 to 2100" if it moved; "–" if it is unknown.
[[nodiscard]] std::string clock_text(const SmClock& clock);

/// GB/s of all SMs together at that clock. Nothing if the unit does not fit, or if the SMs or the clock are unknown.
[[nodiscard]] std::optional<ClockedNumber> gigabytes_per_second(double rate, const std::string& unit, int sms,
                                                                const SmClock& clock);

/// GB/s that the memory bus can carry: its width times its highest clock, with two transfers per clock. This is how the
/// driver states the clocks of HBM and GDDR. Nothing if one of them is unknown.
[[nodiscard]] std::optional<double> memory_peak(const DeviceFacts& device);

/// The same for an estimate that a case published.
[[nodiscard]] std::optional<ClockedNumber> gigabytes_per_second(const ProbeOutline& probe, const Row& row,
                                                                const Estimate& estimate);
/// Whether any case has such a value. If so, the table has a column of GB/s next to the estimate.
[[nodiscard]] bool has_gigabytes(const ProbeOutline& probe, const std::string& estimate);

/// Fills in the limits of measures that refer to memory: what the bus carries per microsecond and SM, plus what L2 can
/// answer if the data are used repeatedly and less than eight times as large as L2. There is no limit if the data are
/// less than twice as large as L2, or are in another GPU's memory.
void with_memory_limits(std::vector<Case>& cases, const DeviceFacts& device);

/// "9107 GB/s", "98.4 GB/s", "98.4 (97.1 to 98.9) GB/s".
[[nodiscard]] std::string gigabytes_text(const ClockedNumber& number);

/// A parameter's value as a reader writes it: "1 GiB" for footprint=1073741824, "32 KiB" for stream_kb=32. Which
/// parameters are bytes is in assets/parameters.yaml; the values of others are unchanged. Four digits: the case's id
/// has all of them.
[[nodiscard]] std::string parameter_text(std::string_view name, const Value& value);

/// The bytes of one: 1024 for stream_kb; 0 if the parameter's values are no bytes.
[[nodiscard]] std::int64_t bytes_of_parameter(std::string_view name);

/// The name without the unit that parameter_text() adds: "stream" for stream_kb.
[[nodiscard]] std::string parameter_name(const std::string& name);

/// "warps=4 footprint=1 GiB"; only the named parameters.
[[nodiscard]] std::string parameters_text(const Row& row, const std::vector<std::string>& names);

/// The unit in the words of a page: nothing for a share ("1"), "/clk/SM" for "1/clk/SM".
[[nodiscard]] std::string unit_text(const std::string& unit);
/// What is printed behind its value, which has a unit of its own if it is in bytes.
[[nodiscard]] std::string unit_text(const Headline& headline);
/// "29.00 cycles"
[[nodiscard]] std::string text_of(const Headline& headline);

}  // namespace warpclock
