#pragma once

#include <array>
#include <optional>
#include <string_view>

#include "report/record.hpp"

namespace warpclock {

constexpr std::array<Outcome, 4> outcomes = {Outcome::Measured, Outcome::Rejected, Outcome::Skipped, Outcome::Failed};

/// The word of records and reports: "measured", "rejected", "skipped", "failed".
[[nodiscard]] constexpr std::string_view word(Outcome outcome) {
  switch (outcome) {
    case Outcome::Measured:
      return "measured";
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
