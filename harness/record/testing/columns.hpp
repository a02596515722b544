#pragma once

#include <cstddef>

#include "base/json/json_writer.hpp"

namespace warpclock::testing {

/// The values of which columns_of() made the column, null for none.
inline Json values_of(const Json& column) {
  if (column.is_array()) return column;
  std::size_t objects = 0;
  for (const Json& count : column["counts"]) objects += count.is_null() ? 0 : count.get<std::size_t>();
  Json all(objects, Json::object());
  for (const auto& [name, inner] : column["of"].items()) {
    const Json fields = values_of(inner);
    for (std::size_t i = 0; i < objects; ++i) {
      if (!fields[i].is_null()) all[i][name] = fields[i];
    }
  }
  Json values = Json::array();
  std::size_t at = 0;
  for (const Json& count : column["counts"]) {
    Json value = count.is_null() ? Json() : Json::array();
    if (!count.is_null() && column.contains("one")) value = all[at++];
    for (std::size_t i = 0; value.is_array() && i < count.get<std::size_t>(); ++i) value.push_back(all[at++]);
    values.push_back(std::move(value));
  }
  return values;
}

}  // namespace warpclock::testing
