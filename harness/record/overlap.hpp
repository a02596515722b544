#pragma once

#include <optional>
#include <span>
#include <string>

#include "record/record.hpp"

namespace warpclock {

/// The share of the shorter of two times that is hidden if both together take `both`: 1 if that is the longer one, 0 if
/// it is their sum, less than 0 if it is more.
[[nodiscard]] double hidden_share(double a, double b, double both);

/// Cycles of one instruction of a form on a sub-partition, from the pair of two of them.
[[nodiscard]] std::optional<double> alone_cycles(std::span<const Row> rows, const std::string& form);

/// What two forms that execute together hide of each other.
struct Overlap {
  double a = 0, b = 0;                     ///< cycles of each alone: of one, or of as many as are in a group
  double hidden = 0, least = 0, most = 0;  ///< the hidden share, and both ends of its interval
};
/// None if one of the three times is missing. Those of a group of several come from the rows of the forms.
[[nodiscard]] std::optional<Overlap> overlap_of(std::span<const Row> rows, const Row& both);

/// Whether the share is below 0 or above 1 even at the end of its interval.
[[nodiscard]] bool overlaps_oddly(std::span<const Row> rows, const Row& both);

}  // namespace warpclock
