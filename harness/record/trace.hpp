#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analyze/curve/curve.hpp"
#include "analyze/curve/levels.hpp"
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
[[nodiscard]] std::vector<double> place_means(const std::vector<const Row*>& rows);

/// The side of each place and of each row; see find_sides().
[[nodiscard]] std::optional<Sides> sides_of_places(const std::vector<const Row*>& rows);

/// Groups in the order of their first place. A place that did not report is in none.
[[nodiscard]] std::vector<PlaceGroup> place_groups(const std::vector<double>& places);

/// The measured cases of a probe that differ only in what a find runs over, as a curve of one measure.
struct Trace {
  std::string id;                ///< id of the probe
  Parameters parameters;         ///< those of its cases, without the axis
  std::vector<const Row*> rows;  ///< the cases of the curve's points
  Curve curve;                   ///< ascending
};

/// In the order of their first cases.
[[nodiscard]] std::vector<Trace> traces_of(const Record& record, const ProbeRecord& probe, FeatureQuery find);

/// The levels of a curve, as the query asks for them.
[[nodiscard]] Levels levels_of(const Trace& trace, const FeatureQuery& find);

/// The parameters of the curve to which a case belongs: its own without the axis.
[[nodiscard]] Parameters curve_of(const Row& row, const std::string& axis);

}  // namespace warpclock
