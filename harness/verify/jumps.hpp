#pragma once

#include <optional>
#include <string>

#include "verify/window.hpp"

namespace warpclock {

/// Which jump leaves or enters the window, as a sentence. A declared loop may jump inside it, and a declared call comes
/// back.
[[nodiscard]] std::optional<std::string> why_not_straight(const Listing& listing, const Window& window,
                                                          const Expectation& expect);

/// Which target no loop of the window repeats, as a sentence.
[[nodiscard]] std::optional<std::string> why_outside_of_loop(const Listing& listing, const Window& window);

}  // namespace warpclock
