#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

#include "analyze/curve/sides.hpp"
#include "record/record.hpp"

namespace warpclock {

/// What a Find runs over whose values are those of places.
constexpr std::string_view over_places = "places";

/// Places with the same value.
struct PlaceGroup {
  double value = 0;
  std::vector<std::size_t> places;  ///< ascending
};

/// Of each place, the mean over the rows in which it reported; 0 where it did in none.
[[nodiscard]] std::vector<double> place_means(const std::vector<const CaseRecord*>& rows);

/// On which side of something each place is, and what each row stands for; see find_sides().
[[nodiscard]] std::optional<Sides> sides_of_places(const std::vector<const CaseRecord*>& rows);

/// By their first place. A place that did not report is in none.
[[nodiscard]] std::vector<PlaceGroup> place_groups(const std::vector<double>& places);

}  // namespace warpclock
