#pragma once

#include <concepts>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

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
