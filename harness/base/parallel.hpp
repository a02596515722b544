#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <thread>
#include <vector>

namespace warpclock {

/// Calls work(0) to work(count - 1), as many at once as there are cores. Work must not throw.
template <class Work>
void for_each_at_once(std::size_t count, const Work& work) {
  const std::size_t threads = std::min<std::size_t>(std::max(1U, std::thread::hardware_concurrency()), count);
  std::atomic<std::size_t> next = 0;
  std::vector<std::jthread> workers;
  for (std::size_t i = 0; i < threads; ++i) {
    workers.emplace_back([&] {
      for (std::size_t mine = next++; mine < count; mine = next++) work(mine);
    });
  }
}

}  // namespace warpclock
