#pragma once

#include <vector>

#include "record/record.hpp"

namespace warpclock {

/// What the curves of a record show. For each probe that runs along an axis, and for each set of its other parameters,
/// this is what its `finds` ask for. Only measured cases are points. Names are stable:
/// - `<measure>.<n>` and `<axis>.<n>`: the n-th level and where it ends, counted along the axis.
/// - `<axis>.<n>` alone: a step.
/// - `<measure>.plateau`, and `in_flight.90` or `<axis>.90` (and 99): the plateau, and the place that reaches this
///   percentage of it.
/// - `<axis>.period`.
/// - `<measure>.class<n>` and `<measure>.outlier`. Over places also `<measure>.near` and `<measure>.far` if they are on
///   two sides, and `<measure>.place.…` for their means.
/// - `<measure>.groups`.
///
/// A level is named after where its loads were answered ("L1", "L2", "DRAM"), if the counters show it: at least 99 % of
/// the sectors hit there, and at most 1 % at each level before it. This must hold for all its points with counters, and
/// at most one point in ten may have none. Otherwise the level has no name and says why. It also has no name if one of
/// its points is more than 1 % off. Pure.
[[nodiscard]] std::vector<Feature> find_features(const Record& record);

}  // namespace warpclock
