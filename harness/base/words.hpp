#pragma once

#include <cstddef>
#include <string_view>

namespace warpclock {

/// The words that configs, records and reports use for an enumeration, in the order of its enumerators.
template <class Enum>
inline constexpr auto enum_words = nullptr;

template <class Enum>
concept Worded = requires {
  enum_words<Enum>.size();
};

template <Worded Enum>
[[nodiscard]] constexpr std::string_view word(Enum value) {
  return enum_words<Enum>.at(static_cast<std::size_t>(value));
}

}  // namespace warpclock
