#pragma once

#include <algorithm>
#include <cstddef>
#include <deque>
#include <future>
#include <thread>
#include <type_traits>

#include "base/error.hpp"

namespace warpclock {

/// Calls `make(i)` for each i below `count` in threads, half as many at once as there are cores, and `use(i, made)` in
/// this thread in the order of i. The first error of `use` ends it.
template <class Make, class Use>
[[nodiscard]] Expected<void> make_ahead(std::size_t count, const Make& make, const Use& use) {
  const std::size_t threads = std::max(1U, std::thread::hardware_concurrency() / 2);
  std::deque<std::future<std::invoke_result_t<Make, std::size_t>>> ahead;
  for (std::size_t i = 0, next = 0; i < count; ++i) {
    for (; next < std::min(count, i + threads); ++next)
      ahead.push_back(std::async(std::launch::async, [&make, next] { return make(next); }));
    auto made = ahead.front().get();
    ahead.pop_front();
    WARPCLOCK_TRY(use(i, std::move(made)));
  }
  return {};
}

}  // namespace warpclock
