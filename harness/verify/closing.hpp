#pragma once

#include <optional>
#include <string>

#include "verify/window.hpp"

namespace warpclock {

/// A sentence that says why the closing read may issue before the measured work is done, or nothing if it cannot.
/// Close::Result: each result of a measured instruction is read or overwritten inside the window. The registers of one
/// result arrive together, so one of them is enough. Close::Memory: a memory wait, or a load whose result is read,
/// follows the last measured instruction. Close::Issue claims nothing.
[[nodiscard]] std::optional<std::string> why_open(const Listing& listing, const Window& window,
                                                  const Expectation& expect);

/// A sentence that says what empties L1 after the closing read and before a barrier of the block or cluster, if the
/// window loads through L1. Another warp may still be in its window then: its hits become misses.
[[nodiscard]] std::optional<std::string> why_empties_l1(const Listing& listing, const Window& window);

}  // namespace warpclock
