#pragma once

#include <chrono>

namespace warpclock {

using Time = std::chrono::steady_clock;

[[nodiscard]] inline double seconds_since(Time::time_point start) {
  return std::chrono::duration<double>(Time::now() - start).count();
}

}  // namespace warpclock
