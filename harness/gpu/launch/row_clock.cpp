#include "gpu/launch/row_clock.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace warpclock {
namespace {

/// Over the time between the readings, as if the clock had changed evenly from one to the next.
double mean_mhz(const std::vector<ClockMeasurement>& readings) {
  double sum = 0, time = 0;
  for (std::size_t i = 1; i < readings.size(); ++i) {
    const auto passed = static_cast<double>(readings[i].host_ns - readings[i - 1].host_ns);
    sum += passed * (readings[i].sm_mhz + readings[i - 1].sm_mhz) / 2;
    time += passed;
  }
  return time > 0 ? sum / time : readings.back().sm_mhz;
}

}  // namespace

void RowClock::add(const ClockMeasurement& reading) {
  longest_pause_us_ = std::max(longest_pause_us_, reading.pause_us);
  if (reading.sm_mhz > 0) readings_.push_back(reading);
}

void RowClock::begin_here() {
  if (readings_.size() > 1) readings_.erase(readings_.begin(), readings_.end() - 1);
}

void RowClock::note(ClockReading& clock) const {
  clock.pause_us = std::round(longest_pause_us_);
  if (readings_.empty()) return;
  const auto [low, high] = std::ranges::minmax_element(readings_, {}, &ClockMeasurement::sm_mhz);
  const SmClock found{mean_mhz(readings_), low->sm_mhz, high->sm_mhz};
  clock.sm_mhz = found.mhz;
  if (found.moved()) clock.sm_low_mhz = found.low, clock.sm_high_mhz = found.high;
}

}  // namespace warpclock
