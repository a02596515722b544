#pragma once

#include <optional>
#include <string_view>

#include "plan/measure.hpp"
#include "plan/probe.hpp"

namespace warpclock {

/// The word that configs, records and reports use: "slope", "rate", "elapsed", "fact", "counter".
[[nodiscard]] std::string_view word(Method method);
/// "equal", "at_least", "at_most"
[[nodiscard]] std::string_view word(Relation relation);

/// "levels", "saturation", "step", "period", "spread", "groups", "fragment", "swizzle"
[[nodiscard]] std::string_view word(Find::What what);

[[nodiscard]] std::optional<Method> method_of(std::string_view word);
[[nodiscard]] std::optional<Relation> relation_of(std::string_view word);
[[nodiscard]] std::optional<Find::What> find_of(std::string_view word);

}  // namespace warpclock
