#pragma once

#include <string>

#include "inspect/inspection.hpp"

namespace warpclock {

/// One JSON object. Ends with a newline.
[[nodiscard]] std::string to_json(const Inspection& inspection);

/// The JSON Schema of to_json().
[[nodiscard]] std::string inspection_schema();

}  // namespace warpclock
