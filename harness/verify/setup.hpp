#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "code/listing.hpp"
#include "plan/expectation.hpp"

namespace warpclock {

/// Cycles that may be encoded beyond a claimed delay: a barrier, the load at the start of its chain, the reads of what
/// the window needs.
inline constexpr std::int64_t delay_slack = 80;

/// A sentence that names the opcode of `before` that is missing before the opening read, or that occurs before the last
/// occurrence of the opcode that it must follow. Nothing if the order is right.
[[nodiscard]] std::optional<std::string> why_out_of_order(const Listing& listing, std::size_t open,
                                                          const Expectation& expect);

/// A sentence that names an instruction, between an access that prepares the window and the opening read, that waits
/// for a scoreboard set before the access. Nothing if there is none. ptxas moves a wait for an earlier load behind a
/// prefetch and the delay after it.
[[nodiscard]] std::optional<std::string> why_late_wait(const Listing& listing, std::size_t open,
                                                       const Expectation& expect);

/// A sentence that says why the control fields from the access to the opening read do not encode the claimed delay, or
/// nothing if they do. A loop counts once.
[[nodiscard]] std::optional<std::string> why_other_delay(const Listing& listing, std::size_t open,
                                                         const Expectation& expect, const Parameters& parameters);

}  // namespace warpclock
