#pragma once

#include <cmath>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "analyze/words.hpp"
#include "record/json/json_text.hpp"
#include "record/json/record_fields.hpp"
#include "record/outcome.hpp"

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
    JsonWriter writer;
    describe(writer, value);
    return std::move(writer.out_);
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
  [[nodiscard]] static Json write(const std::optional<double>& value) { return value ? write(*value) : Json(nullptr); }
  [[nodiscard]] static Json write(Outcome value) { return word(value); }
  [[nodiscard]] static Json write(Method value) { return word(value); }
  [[nodiscard]] static Json write(Relation value) { return word(value); }
  [[nodiscard]] static Json write(Find::What value) { return word(value); }
  [[nodiscard]] static Json write(const Parameters& parameters) {
    Json out = Json::object();
    for (const auto& [name, value] : parameters) out[name] = std::visit([](const auto& v) { return write(v); }, value);
    return out;
  }
  [[nodiscard]] static Json write(const std::vector<std::pair<std::string, int>>& opcodes) {
    Json out = Json::array();
    for (const auto& [opcode, count] : opcodes) out.push_back(Json{{"opcode", opcode}, {"count", count}});
    return out;
  }
  [[nodiscard]] static Json write(const std::map<std::string, double>& values) {
    Json out = Json::object();
    for (const auto& [name, value] : values) out[name] = write(value);
    return out;
  }
  template <class T>
  [[nodiscard]] static Json write(const std::vector<T>& values) {
    Json out = Json::array();
    for (const T& value : values) out.push_back(write(value));
    return out;
  }

 private:
  Json out_ = Json::object();
};

}  // namespace warpclock
