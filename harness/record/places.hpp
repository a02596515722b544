#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

#include "analyze/curve/sides.hpp"
#include "record/record.hpp"

namespace warpclock {

/// The `over` of a FeatureQuery that runs over the values of places.
constexpr std::string_view over_places = "places";

/// Places with the same value.
struct PlaceGroup {
  double value = 0;
  std::vector<std::size_t> places;  ///< ascending
};

/// The mean of each place over the rows in which it reported; 0 if it reported in none.
[[nodiscard]] std::vector<double> place_means(const std::vector<const CaseRecord*>& rows);

/// The side of each place and of each row; see find_sides().
[[nodiscard]] std::optional<Sides> sides_of_places(const std::vector<const CaseRecord*>& rows);

/// Groups in the order of their first place. A place that did not report is in none.
[[nodiscard]] std::vector<PlaceGroup> place_groups(const std::vector<double>& places);

}  // namespace warpclock
