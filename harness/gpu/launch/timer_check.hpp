#pragma once

#include <cstdint>

#include "gpu/job/clock_reading.hpp"

namespace warpclock {

/// A reading of %globaltimer, and the host's clock when it had it, at most `wait_ns` later.
struct TimerPair {
  std::int64_t host_ns = 0;
  std::uint64_t device_ns = 0;
  double wait_ns = 0;
};

/// Compares %globaltimer with the host's clock over the life of a process: pairs of readings come with every reading of
/// the SM clock. The longer the time between two pairs, the less it matters how long the host waited for them.
class TimerCheck {
 public:
  void add(const TimerPair& pair);
  [[nodiscard]] const TimerRatio& ratio() const { return ratio_; }

 private:
  TimerPair first_;
  int seen_ = 0;
  TimerRatio ratio_;
};

/// CLOCK_MONOTONIC_RAW, which nothing adjusts.
[[nodiscard]] std::int64_t host_ns();

}  // namespace warpclock
