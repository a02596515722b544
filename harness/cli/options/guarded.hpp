#pragma once

#include <functional>
#include <span>

namespace warpclock {

/// The status of `work`, which is what this command line asks for. If an exception ends it, says so on standard error,
/// with the command, and gives 2.
[[nodiscard]] int guarded(std::span<char* const> command, const std::function<int()>& work);

}  // namespace warpclock
