#pragma once

#include <array>
#include <string_view>

#include "base/words.hpp"
#include "plan/measure.hpp"
#include "plan/probe.hpp"

namespace warpclock {

template <>
inline constexpr auto enum_words<Method> =
    std::array<std::string_view, 6>{"slope", "rate", "elapsed", "slowest", "fact", "counter"};
template <>
inline constexpr auto enum_words<Relation> = std::array<std::string_view, 3>{"equal", "at_least", "at_most"};
template <>
inline constexpr auto enum_words<FeatureQuery::What> = std::array<std::string_view, 8>{
    "levels", "saturation", "step", "period", "spread", "groups", "fragment", "swizzle"};

}  // namespace warpclock
