#include "record/json/columns.hpp"

#include <algorithm>
#include <cstddef>
#include <map>
#include <string>
#include <vector>

namespace warpclock {
namespace {

/// A null pointer is no value.
using Values = std::vector<const Json*>;

bool is_array_of_objects(const Json& value) {
  return value.is_array() && std::ranges::all_of(value, [](const Json& each) { return each.is_object(); });
}

Json column_of(const Values& values) {
  const auto all = [&](const auto& is) {
    return std::ranges::all_of(values, [&](const Json* value) { return value == nullptr || is(*value); });
  };
  const bool one = all([](const Json& value) { return value.is_object(); });
  Json counts = Json::array();
  if (!one && !all(is_array_of_objects)) {
    for (const Json* value : values) counts.push_back(value == nullptr ? Json() : *value);
    return counts;
  }
  std::map<std::string, Values> fields;
  std::size_t objects = 0;
  const auto add = [&](const Json& object) {
    for (const auto& [name, field] : object.items()) {
      if (field.is_null()) continue;
      Values& column = fields[name];
      column.resize(objects, nullptr);
      column.push_back(&field);
    }
    ++objects;
  };
  for (const Json* value : values) {
    counts.push_back(value == nullptr ? Json() : Json(one ? 1 : value->size()));
    if (value == nullptr) continue;
    if (one) {
      add(*value);
    } else {
      for (const Json& object : *value) add(object);
    }
  }
  Json of = Json::object();
  for (auto& [name, column] : fields) {
    column.resize(objects, nullptr);
    of[name] = column_of(column);
  }
  Json out = {{"counts", std::move(counts)}, {"of", std::move(of)}};
  if (one) out["one"] = true;
  return out;
}

}  // namespace

Json columns_of(const Json& objects) { return column_of({&objects}); }

}  // namespace warpclock
