#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/error.hpp"

namespace warpclock {

/// A sweep value: an integer, or a word that is pasted into PTX and SASS patterns ("bfly", "L2::evict_last").
using Value = std::variant<std::int64_t, std::string>;

[[nodiscard]] std::string to_string(const Value& value);

/// One point of a sweep, in the order in which the config names the axes.
using Parameters = std::vector<std::pair<std::string, Value>>;

[[nodiscard]] const Value* find(const Parameters& parameters, std::string_view name);

/// The same if it is an integer, or a word. Null if it is not.
template <class T>
[[nodiscard]] const T* find_as(const Parameters& parameters, std::string_view name) {
  return std::get_if<T>(find(parameters, name));
}

/// The values from `low` to `high`, inclusive.
struct Range {
  std::int64_t low, high;
};

/// A number that a config states as a product of integers and parameter names: `[32, warps, ilp]`.
/// An empty product is 1. A factor `n` is the repeat count of the kernel at hand.
struct Product {
  std::vector<Value> factors;

  /// Error "config" if a factor names no parameter or one that is not an integer, or if the product overflows.
  [[nodiscard]] Expected<std::int64_t> evaluate(const Parameters& parameters) const;
};

/// Replaces `{name}` by the parameter's value and `{NAME}` by the value in upper case. Error "config" on an unknown
/// name.
[[nodiscard]] Expected<std::string> substitute(std::string_view text, const Parameters& parameters);

}  // namespace warpclock
