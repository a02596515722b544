#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "base/json/json_writer.hpp"
#include "base/text.hpp"

namespace warpclock {

/// The archive that says in JSON Schema (draft 2020-12) how described structs are written.
class JsonSchema {
 public:
  template <class T>
  void required(const char* key, const T& field) {
    optional(key, field);
    required_.push_back(key);
  }
  template <class T>
  void optional(const char* key, const T&) {
    properties_[key] = of<T>();
  }

  template <class T>
  [[nodiscard]] static Json of() {
    if constexpr (std::is_enum_v<T>) {
      return {{"enum", enum_words<T>}};
    } else if constexpr (requires(T value) { WrittenAs<T>::to(value); }) {
      return of<decltype(WrittenAs<T>::to(T{}))>();
    } else {
      return schema_of(static_cast<const T*>(nullptr));
    }
  }

 private:
  static Json type(const char* name) { return {{"type", name}}; }
  static Json schema_of(const std::string*) { return type("string"); }
  static Json schema_of(const bool*) { return type("boolean"); }
  static Json schema_of(const int*) { return type("integer"); }
  static Json schema_of(const std::int64_t*) { return type("integer"); }
  /// null: a number that is not finite.
  static Json schema_of(const double*) { return {{"type", {"number", "null"}}}; }
  static Json schema_of(const NamedScalars*) {
    return {{"type", "object"}, {"additionalProperties", {{"type", {"integer", "string"}}}}};
  }
  static Json schema_of(const std::map<std::string, double>*) {
    return {{"type", "object"}, {"additionalProperties", of<double>()}};
  }
  template <class T>
  static Json schema_of(const std::optional<T>*) {
    return of<T>();
  }
  template <class T>
  static Json schema_of(const std::vector<T>*) {
    return {{"type", "array"}, {"items", of<T>()}};
  }
  template <class T>
  static Json schema_of(const T*) {
    JsonSchema schema;
    const T defaults{};
    describe(schema, defaults);
    return {{"type", "object"}, {"properties", schema.properties_}, {"required", schema.required_}};
  }

  Json properties_ = Json::object(), required_ = Json::array();
};

}  // namespace warpclock
