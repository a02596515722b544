#pragma once

#include <cmath>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "base/json/described.hpp"
#include "base/json/json_text.hpp"
#include "base/words.hpp"

namespace warpclock {

/// The archive that turns described structs into JSON.
class JsonWriter {
 public:
  template <class T>
  void required(const char* key, const T& field) {
    out_[key] = write(field);
  }
  template <class T>
  void optional(const char* key, const T& field) {
    if (!(field == T{})) required(key, field);
  }

  template <class T>
  [[nodiscard]] static Json write(const T& value) {
    if constexpr (std::is_enum_v<T>) {
      return word(value);
    } else if constexpr (requires { WrittenAs<T>::to(value); }) {
      return write(WrittenAs<T>::to(value));
    } else {
      JsonWriter writer;
      describe(writer, value);
      return std::move(writer.out_);
    }
  }
  [[nodiscard]] static Json write(const std::string& value) { return value; }
  [[nodiscard]] static Json write(bool value) { return value; }
  [[nodiscard]] static Json write(int value) { return value; }
  [[nodiscard]] static Json write(std::int64_t value) { return value; }
  [[nodiscard]] static Json write(double value) {
    constexpr double exact_integers = 9007199254740992.0;  // 2^53
    if (std::abs(value) < exact_integers && value == std::trunc(value)) return static_cast<std::int64_t>(value);
    return value;
  }
  [[nodiscard]] static Json write(const std::variant<std::int64_t, std::string>& value) {
    return std::visit([](const auto& v) { return write(v); }, value);
  }
  [[nodiscard]] static Json write(const NamedScalars& named) { return object(named); }
  [[nodiscard]] static Json write(const std::map<std::string, double>& values) { return object(values); }
  template <class T>
  [[nodiscard]] static Json write(const std::optional<T>& value) {
    return value ? write(*value) : Json(nullptr);
  }
  template <class T>
  [[nodiscard]] static Json write(const std::vector<T>& values) {
    Json out = Json::array();
    for (const T& value : values) out.push_back(write(value));
    return out;
  }

 private:
  template <class Pairs>
  [[nodiscard]] static Json object(const Pairs& pairs) {
    Json out = Json::object();
    for (const auto& [name, value] : pairs) out[name] = write(value);
    return out;
  }

  Json out_ = Json::object();
};

}  // namespace warpclock
