#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>
#include <vector>

#include "base/json/described.hpp"
#include "base/words.hpp"

namespace warpclock {

/// The archive that writes a described struct as JSON on one line. It makes no tree first, which takes ten times as
/// long.
class JsonLine {
 public:
  /// `exact`: numbers that JSON lacks are "nan", "inf" and "-inf", as JsonReader(true) reads them; else they are null.
  template <class T>
  [[nodiscard]] static std::string of(const T& value, bool exact = false) {
    JsonLine line(exact);
    line.write(value);
    return std::move(line.out_);
  }

  template <class T>
  void required(std::string_view key, const T& field) {
    separate();
    write_text(key);
    out_ += ':';
    write(field);
  }
  template <class T>
  void optional(std::string_view key, const T& field) {
    if (!(field == T{})) required(key, field);
  }

 private:
  explicit JsonLine(bool exact) : exact_(exact) {}

  template <class T>
  void write(const T& value) {
    if constexpr (std::is_enum_v<T>) {
      write_text(word(value));
    } else if constexpr (requires { WrittenAs<T>::to(value); }) {
      write(WrittenAs<T>::to(value));
    } else {
      out_ += '{';
      describe(*this, value);
      out_ += '}';
    }
  }
  void write(const std::string& value) { write_text(value); }
  void write(bool value) { out_ += value ? "true" : "false"; }
  void write(int value) { write(std::int64_t{value}); }
  void write(std::int64_t value);
  void write(double value);
  void write(const std::variant<std::int64_t, std::string>& value) {
    std::visit([this](const auto& v) { write(v); }, value);
  }
  void write(const NamedScalars& named) { write_members(named); }
  void write(const std::map<std::string, double>& values) { write_members(values); }
  template <class T>
  void write(const std::optional<T>& value) {
    if (value) {
      write(*value);
    } else {
      out_ += "null";
    }
  }
  template <class T>
  void write(const std::vector<T>& values) {
    out_ += '[';
    for (const T& value : values) {
      separate();
      write(value);
    }
    out_ += ']';
  }

  template <class Pairs>
  void write_members(const Pairs& pairs) {
    out_ += '{';
    for (const auto& [name, value] : pairs) required(name, value);
    out_ += '}';
  }

  void separate() {
    if (const char last = out_.back(); last != '{' && last != '[') out_ += ',';
  }
  void write_text(std::string_view text);

  const bool exact_;
  std::string out_;
};

}  // namespace warpclock
