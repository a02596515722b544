#pragma once

#include <string>

#include "advise/advice.hpp"
#include "base/sheet/sheet.hpp"

namespace warpclock {

/// The answer, then the rows that it used, the errors of its model, and what is not known.
[[nodiscard]] Sheet advice_sheet(const Advice& advice);

/// An answer as JSON; advice_schema() describes the text.
[[nodiscard]] std::string to_json(const Advice& advice);
[[nodiscard]] std::string advice_schema();

}  // namespace warpclock
