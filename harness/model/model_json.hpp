#pragma once

#include <string>
#include <string_view>

#include "base/json/json_text.hpp"
#include "model/machine.hpp"

namespace warpclock {

/// The model as JSON, an entry on a line; model_schema() prints its keys. The same bytes for the same model.
[[nodiscard]] std::string to_json(const Machine& machine);

/// A JSON Schema of what to_json() writes.
[[nodiscard]] std::string model_schema();

/// A JSON text that begins with its schema and its kind, and has a member, or an element of an array, on a line.
[[nodiscard]] std::string model_text(std::string_view record, const Json& members);

}  // namespace warpclock
