#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>

#include "base/json/json_writer.hpp"

namespace warpclock::testing {

inline bool is_of_type(const Json& value, const Json& type) {
  if (type.is_array()) return std::ranges::any_of(type, [&](const Json& one) { return is_of_type(value, one); });
  const auto& name = type.get_ref<const std::string&>();
  return name == "integer" ? value.is_number_integer() : name == value.type_name();
}

/// `key` of a schema, or null.
inline const Json& part(const Json& schema, std::string_view key) {
  static const Json none;
  const auto found = schema.find(std::string(key));
  return found == schema.end() ? none : *found;
}

inline bool has(const Json& list, const Json& value) { return std::ranges::find(list, value) != list.end(); }

/// The first thing that is not as the schema says, of the words of JSON Schema that ours use; empty for none. Keys that
/// the schema does not have are wrong here: what this program writes is all described.
inline std::string violation(const Json& schema, const Json& value, const std::string& path) {
  if (schema.contains("const")) return value == schema["const"] ? "" : path + ": another constant";
  if (schema.contains("enum") && !has(schema["enum"], value)) return path + ": none of the words";
  if (schema.contains("type") && !is_of_type(value, schema["type"])) return path + ": another type";
  if (value.is_primitive()) return {};
  std::string found;
  if (value.is_object()) {
    for (const Json& key : part(schema, "required"))
      if (!value.contains(key.get_ref<const std::string&>())) return path + ": without " + key.get<std::string>();
    for (auto each = value.begin(); each != value.end() && found.empty(); ++each) {
      const Json& known = part(part(schema, "properties"), each.key());
      const Json& of = known.is_null() ? part(schema, "additionalProperties") : known;
      found = of.is_null() ? ": not described" : violation(of, *each, "");
      if (!found.empty()) found = path + "." + each.key() + found;
    }
  }
  for (std::size_t i = 0; value.is_array() && i < value.size() && found.empty(); ++i)
    if (found = violation(schema["items"], value[i], ""); !found.empty())
      found = fmt::format("{}[{}]{}", path, i, found);
  return found;
}

}  // namespace warpclock::testing
