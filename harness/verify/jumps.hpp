#pragma once

#include <optional>
#include <string>

#include "verify/window.hpp"

namespace warpclock {

/// A sentence that names a jump that leaves or enters the window, or nothing if there is none. A declared loop may jump
/// inside the window, and a declared call returns.
[[nodiscard]] std::optional<std::string> why_not_straight(const Listing& listing, const Window& window,
                                                          const Expectation& expect);

/// A sentence that names a target that no loop of the window repeats, or nothing if there is none.
[[nodiscard]] std::optional<std::string> why_outside_of_loop(const Listing& listing, const Window& window);

}  // namespace warpclock
