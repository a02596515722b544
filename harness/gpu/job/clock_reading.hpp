#pragma once

#include <optional>
#include <string>
#include <vector>

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

}  // namespace warpclock
