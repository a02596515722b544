#include "gpu/job/clock_reading.hpp"

#include <cmath>

namespace warpclock {

bool SmClock::moved() const {
  constexpr double steady = 0.005;
  return low > 0 && high - low > steady * low;
}

SmClock sm_clock(const ClockReading& clock) {
  const bool moved = clock.sm_low_mhz > 0 && clock.sm_high_mhz > 0;
  return {clock.sm_mhz, moved ? clock.sm_low_mhz : clock.sm_mhz, moved ? clock.sm_high_mhz : clock.sm_mhz};
}

std::optional<double> mean_power_w(const ClockReading& clock) {
  if (!(clock.energy_j > 0) || !(clock.energy_s > 0)) return std::nullopt;
  return clock.energy_j / clock.energy_s;
}

bool TimerRatio::differs() const {
  constexpr double tolerance = 0.001, well_known = tolerance / 2;
  return seconds > 0 && error <= well_known && std::abs(ratio - 1) > tolerance + error;
}

}  // namespace warpclock
