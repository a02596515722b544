#pragma once

#include <string>

#include "advise/advice.hpp"
#include "base/terminal.hpp"

namespace warpclock {

/// The answer, then the rows that it used, the errors of its model, and what is not known.
[[nodiscard]] std::string advice_text(const Advice& advice, const Style& style);

}  // namespace warpclock
