#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <deque>
#include <exception>
#include <future>
#include <mutex>
#include <system_error>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/error.hpp"

namespace warpclock {

/// Calls work() in this thread and, at once, in `threads` - 1 others, or in fewer where no more can be had. It must not
/// throw.
template <class Work>
void work_at_once(std::size_t threads, const Work& work) {
  std::vector<std::jthread> others;
  try {
    for (std::size_t i = 1; i < threads; ++i) others.emplace_back(work);
  } catch (const std::system_error&) {
    // Those that there are do the work.
  }
  work();
}

/// Calls work(0) to work(count - 1), as many at once as there are cores. The first exception is thrown here, once the
/// work that has begun is done; the rest is not begun.
template <class Work>
void for_each_at_once(std::size_t count, const Work& work) {
  const std::size_t threads = std::min<std::size_t>(std::max(1U, std::thread::hardware_concurrency()), count);
  std::atomic<std::size_t> next = 0;
  std::once_flag once;
  std::exception_ptr problem;
  work_at_once(threads, [&] {
    try {
      for (std::size_t mine = next++; mine < count; mine = next++) work(mine);
    } catch (...) {
      next = count;
      std::call_once(once, [&] { problem = std::current_exception(); });
    }
  });
  if (problem) std::rethrow_exception(problem);
}

/// Calls `make(i)` for each i below `count` in threads, half as many at once as there are cores, and `use(i, made)` in
/// this thread in the order of i. The first error of `use` ends it.
template <class Make, class Use>
[[nodiscard]] Expected<void> make_ahead(std::size_t count, const Make& make, const Use& use) {
  const std::size_t threads = std::max(1U, std::thread::hardware_concurrency() / 2);
  std::deque<std::future<std::invoke_result_t<Make, std::size_t>>> ahead;
  for (std::size_t i = 0, next = 0; i < count; ++i) {
    for (; next < std::min(count, i + threads); ++next)
      ahead.push_back(std::async(std::launch::async | std::launch::deferred, [&make, next] { return make(next); }));
    auto made = ahead.front().get();
    ahead.pop_front();
    WARPCLOCK_TRY(use(i, std::move(made)));
  }
  return {};
}

}  // namespace warpclock
