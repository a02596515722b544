#pragma once

#include <string>

#include "advise/advice.hpp"

namespace warpclock {

/// An answer as JSON; advice_schema() describes the text.
[[nodiscard]] std::string to_json(const Advice& advice);
[[nodiscard]] std::string advice_schema();

}  // namespace warpclock
