#pragma once

#include <array>
#include <cstddef>
#include <string_view>

#include "plan/measure.hpp"
#include "plan/probe.hpp"

namespace warpclock {

/// The words that configs, records and reports use for an enumeration, in the order of its enumerators.
template <class Enum>
inline constexpr auto enum_words = nullptr;

template <>
inline constexpr auto enum_words<Method> =
    std::array<std::string_view, 5>{"slope", "rate", "elapsed", "fact", "counter"};
template <>
inline constexpr auto enum_words<Relation> = std::array<std::string_view, 3>{"equal", "at_least", "at_most"};
template <>
inline constexpr auto enum_words<FeatureQuery::What> = std::array<std::string_view, 8>{
    "levels", "saturation", "step", "period", "spread", "groups", "fragment", "swizzle"};

template <class Enum>
concept Worded = requires {
  enum_words<Enum>.size();
};

template <Worded Enum>
[[nodiscard]] constexpr std::string_view word(Enum value) {
  return enum_words<Enum>.at(static_cast<std::size_t>(value));
}

}  // namespace warpclock
