#pragma once

#include <vector>

#include "gpu/launch/clock.hpp"

namespace warpclock {

/// The readings of the SM clock before, between and after the launches of one job.
class RowClock {
 public:
  /// A reading without a clock does not count.
  void add(const ClockMeasurement& reading);

  /// Forgets all readings but the last one: the GPU had not yet settled into the launches before it.
  void begin_here();

  /// Fills in the clock, its range if it moved, and the longest pause.
  void note(ClockReading& clock) const;

 private:
  std::vector<ClockMeasurement> readings_;
  double longest_pause_us_ = 0;
};

}  // namespace warpclock
