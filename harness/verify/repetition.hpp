#pragma once

#include <optional>
#include <string>

#include "verify/rules.hpp"

namespace warpclock {

/// Judges of the number of targets in a window; rules() says what each claims. They return a sentence that says what is
/// wrong, or nothing.
[[nodiscard]] std::optional<std::string> repetition(const Claim& claim);
[[nodiscard]] std::optional<std::string> all_links(const Claim& claim);
[[nodiscard]] std::optional<std::string> exact_count(const Claim& claim);

}  // namespace warpclock
