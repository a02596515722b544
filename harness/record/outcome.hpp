#pragma once

#include <array>
#include <cstdint>

#include "analyze/words.hpp"
#include "record/record.hpp"

namespace warpclock {

constexpr std::array<Outcome, 5> outcomes = {Outcome::Measured, Outcome::Unsteady, Outcome::Rejected, Outcome::Skipped,
                                             Outcome::Failed};

template <>
inline constexpr auto enum_words<Outcome> =
    std::array<std::string_view, 5>{"measured", "unsteady", "rejected", "skipped", "failed"};

/// Only few probes have rows that may be unsteady, so a count of zero is not worth showing.
[[nodiscard]] constexpr bool worth_telling(Outcome outcome, std::int64_t count) {
  return count > 0 || outcome != Outcome::Unsteady;
}

}  // namespace warpclock
