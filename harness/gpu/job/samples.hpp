#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "base/error.hpp"

namespace warpclock {

/// Cycles of the window at one repeat count: one number a recorded launch, each the midmean (mean of the middle half)
/// over the launch's blocks of (latest close - earliest open) among the block's warps.
struct Series {
  std::int64_t n = 0;
  std::vector<double> cycles;

  bool operator==(const Series&) const = default;
};

using Samples = std::vector<Series>;

/// The SM clock around a case: cycles of %clock64 per nanosecond of %globaltimer.
struct ClockReading {
  double sm_mhz = 0;
  double memory_mhz = 0;              ///< NVML, 0 when unknown
  std::vector<std::string> throttle;  ///< NVML's reasons in force, by name
  double power_w = 0;
  double temperature_c = 0;
  /// What tells of other work on the GPU, see shared_reason(); 0 where nobody looked.
  double wait_us = 0;   ///< of a kernel behind the case's launches, for the GPU: the shortest of several
  double pause_us = 0;  ///< the longest that a kernel stood still that looked at the clock
  int others = 0;       ///< processes on the device, beside this one

  bool operator==(const ClockReading&) const = default;
};

/// What came back from the device for one case.
struct Observation {
  Samples samples;
  std::map<std::string, double> facts;  ///< by the names the config gives them
  std::vector<double> places;           ///< one a place, see Places; 0 where none reported
  /// Places::Written: of each kernel, a hash of what its threads wrote; empty where two launches wrote other things.
  std::vector<std::string> digests;
  std::map<std::string, double> counters;              ///< by CUPTI metric name
  std::vector<std::map<std::string, double>> counted;  ///< of a job that is not timed: of each of what it counts
  std::string counters_missing;  ///< why there are none, in words; empty when there are or none was asked
  ClockReading clock;
};

/// Middle value; the mean of the middle two of an even number; 0 for none.
[[nodiscard]] double median_cycles(std::vector<double> values);

/// Mean of the values without the lowest and the highest quarter (rounded down); 0 for none. Less jumpy than the median
/// where blocks fall into classes, as the near and far halves of L2 do, and as deaf to outliers.
[[nodiscard]] double midmean(std::vector<double> values);

/// One launch's sample from its clock readings [block][warp][open, close]. A warp that reported nothing (both readings
/// 0) does not count. Error "clocks" when none reported, or one closed before it opened.
[[nodiscard]] Expected<double> launch_cycles(std::span<const std::uint64_t> clocks, std::int64_t warps);

/// The same of each block alone; 0 for one of which no warp reported.
[[nodiscard]] Expected<std::vector<double>> block_cycles(std::span<const std::uint64_t> clocks, std::int64_t warps);

/// Adds a repetition of the same case: samples are appended, everything else is the later one's; throttle reasons add
/// up.
void append(Observation& to, Observation from);

}  // namespace warpclock
