#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/error.hpp"

namespace warpclock {

/// An SM clock with the lowest and the highest of its readings.
struct SmClock {
  double mhz = 0;  ///< 0 if unknown
  double low = 0, high = 0;

  /// Whether the readings differ by more than 0.5 %, so that a number that multiplies by the clock has an interval.
  [[nodiscard]] bool moved() const;
};

/// The SM clock around a case: cycles of %clock64 per nanosecond of %globaltimer, read before and after its launches,
/// and between them if they take long; the mean over the time between the readings.
struct ClockReading {
  double sm_mhz = 0;
  double memory_mhz = 0;              ///< from NVML; 0 if unknown
  std::vector<std::string> throttle;  ///< the names of NVML's reasons in force
  /// Only in records of earlier versions: NVML's mean over a second, most of which belongs to the rows before.
  double power_w = 0;
  double temperature_c = 0;
  /// Signs of other work on the GPU, see shared_sign(); 0 if not measured.
  double wait_us = 0;   ///< how long a kernel after the case's launches waited for the GPU: the shortest wait
  double pause_us = 0;  ///< the longest pause of a kernel that measured the clock
  int others = 0;       ///< other processes on the device
  double sm_low_mhz = 0, sm_high_mhz = 0;  ///< of the readings, if the clock moved; else 0
  bool in_window = false;  ///< the kernel measured sm_mhz while its window ran (sm_mhz_fact); else between launches
  /// By NVML's energy counter, while the launches ran; 0 if they took less than 0.2 s.
  double energy_j = 0, energy_s = 0;
  double timer_ratio = 0;  ///< of TimerRatio, if it is not 1; else 0

  bool operator==(const ClockReading&) const = default;
};

[[nodiscard]] SmClock sm_clock(const ClockReading& clock);

/// The mean power over the row's own launches; nothing if they were too short for the energy counter.
[[nodiscard]] std::optional<double> mean_power_w(const ClockReading& clock);

/// How much %globaltimer advances while the host's clock (CLOCK_MONOTONIC_RAW) advances by one: the SM clock by the
/// one is as right as the two agree. All 0 if unknown.
struct TimerRatio {
  double ratio = 0;
  double error = 0;  ///< of the ratio at most: the host cannot know when within a wait the timer was read
  double seconds = 0;

  /// Whether it is known well enough to judge, and off by more than 0.1 %.
  [[nodiscard]] bool differs() const;
  bool operator==(const TimerRatio&) const = default;
};

/// Cycles of the window at one repeat count, one number for each recorded launch: the midmean (mean of the middle half)
/// over the launch's blocks of (latest close - earliest open) among the block's warps. A midmean varies less than the
/// median if blocks fall into classes, as with the near and far halves of L2, and is as robust against outliers.
struct Series {
  std::int64_t n = 0;
  std::vector<double> cycles;
  std::vector<double> longest;  ///< the same of the block that took longest, if the job asks for it
  /// If the job asks for energy, for each round of launches: the board's mean power while they followed one another,
  /// how long one window was by the host, and how many blocks ran it.
  std::vector<double> watts, window_s;
  std::int64_t blocks = 0;

  bool operator==(const Series&) const = default;
};

using Samples = std::vector<Series>;

/// Launches of a library that does the work of a job's call.
struct LibraryTimes {
  std::string version;     ///< "13.1.0"
  std::vector<double> us;  ///< as Observation::call_us
  std::string missing;     ///< why there are none, as text; empty if there are some or none were requested

  bool operator==(const LibraryTimes&) const = default;
};

/// What came back from the device for one case.
struct Observation {
  Samples samples;
  std::map<std::string, double> facts;  ///< by the names in the config
  std::vector<double> places;           ///< one for each place, see Places; 0 if none reported
  /// Places::Written: for each kernel, a hash of what its threads wrote; empty if two launches wrote different words.
  std::vector<std::string> digests;
  std::map<std::string, double> counters;              ///< by CUPTI metric name
  std::vector<std::map<std::string, double>> counted;  ///< for a job that is not timed: the counters of each range
  std::string counters_missing;  ///< why there are none, as text; empty if there are some or none were requested
  ClockReading clock;
  /// For a job with a call, in microseconds between two events, one for each launch: of the kernel, and of an empty
  /// kernel in the same stream.
  std::vector<double> call_us, empty_us;
  LibraryTimes library;
  /// For a job with PTX, in microseconds of the host: how long the driver took to assemble and load the PTX, and to
  /// load the cubin that came of it.
  std::vector<double> jit_us, load_us;
  TimerRatio timer;    ///< as far as this process has compared the two clocks
  double board_w = 0;  ///< NVML's mean over the last second or so, of the whole board
};

/// The sample of one launch from its clock readings [block][warp][open, close]. A warp that reported nothing (both
/// readings 0) does not count. Error "clocks" if none reported or one closed before it opened.
[[nodiscard]] Expected<double> launch_cycles(std::span<const std::uint64_t> clocks, std::int64_t warps);

/// The same for each block; 0 for a block of which no warp reported.
[[nodiscard]] Expected<std::vector<double>> block_cycles(std::span<const std::uint64_t> clocks, std::int64_t warps);

/// Adds a repetition of the same case: its samples are appended, its throttle reasons are added, the range of the clock
/// covers both, and it replaces everything else.
void append(Observation& to, Observation from);

}  // namespace warpclock
