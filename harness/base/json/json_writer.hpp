#pragma once

#include <concepts>
#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "base/text.hpp"

namespace warpclock {

/// T is U or const U: one description serves the writer, the reader and the schema.
template <class T, class U>
concept Like = std::same_as<std::remove_const_t<T>, U>;

/// Written as one object, with strings and integers by their names.
using NamedScalars = std::vector<std::pair<std::string, std::variant<std::int64_t, std::string>>>;

/// How a type is written that is no described struct and no list: `to(value)` is what is written of it, and
/// `from(written, value)` reads that back and says what is wanted where it is none.
template <class T>
struct WrittenAs;

using Json = nlohmann::ordered_json;

/// The value that a text has. Throws Json::exception if it is not JSON. It is compiled here once: each unit with
/// Json::parse() compiles a parser of its own, and tests, whose code is not optimised, run that.
[[nodiscard]] Json json_of(std::string_view text);

/// JSON text made for reading and for line diffs, the same bytes for the same value: a blank a level, but texts in an
/// array (listings) at the margin, while an array of numbers, and an object in an array that holds nothing deeper than
/// arrays of numbers, take one line each. Invalid UTF-8 is replaced by U+FFFD. Ends with a newline.
[[nodiscard]] std::string pretty(const Json& value);

/// The same value on one line, with no blanks and no newline.
[[nodiscard]] std::string compact(const Json& value);

/// An array with an element a line, each of them compact. Ends with its bracket.
[[nodiscard]] std::string tall(const Json& array);

/// A record for other programs: the version of its schema, what record it is, and its members; as pretty() writes it.
[[nodiscard]] std::string record_text(const Json& version, const std::string& record, const Json& members);

/// The JSON Schema of such a record, of what JsonSchema says of its members. `version` is the schema of its version,
/// and `record` what it is, or the schema of that.
[[nodiscard]] std::string record_schema_text(const std::string& title, const Json& version, const Json& record,
                                             Json members);

/// What nlohmann::json says, without its own "[json.exception.parse_error.101]".
[[nodiscard]] std::string json_problem(const Json::exception& error);

/// Whether a field has no value: it holds nothing, or what it holds by default.
template <class T>
[[nodiscard]] bool is_blank(const T& field) {
  if constexpr (requires { field.has_value(); }) {
    return !field.has_value();
  } else if constexpr (requires { field.empty(); }) {
    return field.empty();
  } else {
    return field == T{};
  }
}

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
    if (!is_blank(field)) required(key, field);
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

/// Turns described structs into JSON that can still be changed.
struct JsonWriter {
  template <class T>
  [[nodiscard]] static Json write(const T& value) {
    return json_of(JsonLine::of(value));
  }
};

}  // namespace warpclock

// A struct is described by a function of its JSON keys, in the order in which they are written:
//
//   void describe(auto& a, Like<Series> auto& v) {
//     WARPCLOCK_REQUIRED(n, cycles);   // their keys are their names
//     a.optional("note", v.text);      // this key is not
//   }
//
// An optional field that equals its default is not written.
#define WARPCLOCK_REQUIRED_FIELD(field) a.required(#field, v.field);
#define WARPCLOCK_OPTIONAL_FIELD(field) a.optional(#field, v.field);
#define WARPCLOCK_REQUIRED(...) NLOHMANN_JSON_EXPAND(NLOHMANN_JSON_PASTE(WARPCLOCK_REQUIRED_FIELD, __VA_ARGS__))
#define WARPCLOCK_OPTIONAL(...) NLOHMANN_JSON_EXPAND(NLOHMANN_JSON_PASTE(WARPCLOCK_OPTIONAL_FIELD, __VA_ARGS__))
