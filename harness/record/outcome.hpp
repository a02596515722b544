#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "record/record.hpp"

namespace warpclock {

constexpr std::array<Outcome, 5> outcomes = {Outcome::Measured, Outcome::Unsteady, Outcome::Rejected, Outcome::Skipped,
                                             Outcome::Failed};

/// Only few probes have rows that may be unsteady, so a count of zero is not worth showing.
[[nodiscard]] constexpr bool worth_telling(Outcome outcome, std::int64_t count) {
  return count > 0 || outcome != Outcome::Unsteady;
}

/// The word of records and reports: "measured", "unsteady", "rejected", "skipped", "failed".
[[nodiscard]] constexpr std::string_view word(Outcome outcome) {
  switch (outcome) {
    case Outcome::Measured:
      return "measured";
    case Outcome::Unsteady:
      return "unsteady";
    case Outcome::Rejected:
      return "rejected";
    case Outcome::Skipped:
      return "skipped";
    case Outcome::Failed:
      return "failed";
  }
  return "failed";
}

[[nodiscard]] constexpr std::optional<Outcome> outcome_of(std::string_view text) {
  for (const Outcome outcome : outcomes) {
    if (word(outcome) == text) return outcome;
  }
  return std::nullopt;
}

}  // namespace warpclock
