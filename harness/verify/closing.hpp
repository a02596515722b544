#pragma once

#include <optional>
#include <string>

#include "verify/window.hpp"

namespace warpclock {

/// Why the closing read may be issued before the measured work is done, as a sentence; nothing when it cannot.
/// Close::Result: each result of a measured instruction is read, or overwritten, inside the window; the registers of
/// one result arrive together, so one of them is enough. Close::Memory: a wait for memory stands behind the last
/// measured instruction, or a load whose result is read. Close::Issue claims nothing.
[[nodiscard]] std::optional<std::string> why_open(const Listing& listing, const Window& window,
                                                  const Expectation& expect);

}  // namespace warpclock
