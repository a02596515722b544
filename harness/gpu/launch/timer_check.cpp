#include "gpu/launch/timer_check.hpp"

#include <ctime>

namespace warpclock {

// A host that was busy is seen by a long wait. The first pair serves all later ones, so it is the best of several; of
// the later ones, one counts only if it says more than those before it.
void TimerCheck::add(const TimerPair& pair) {
  constexpr int candidates = 16;
  constexpr double least_ns = 1e8;
  if (seen_ < candidates) {
    if (seen_ == 0 || pair.wait_ns < first_.wait_ns) first_ = pair;
    ++seen_;
    return;
  }
  const auto host = static_cast<double>(pair.host_ns - first_.host_ns);
  if (host < least_ns) return;
  const double error = (pair.wait_ns + first_.wait_ns) / host;
  if (ratio_.seconds > 0 && error > ratio_.error) return;
  ratio_ = {static_cast<double>(pair.device_ns - first_.device_ns) / host, error, host / 1e9};
}

std::int64_t host_ns() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC_RAW, &now);
  return std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

}  // namespace warpclock
