#pragma once

#include <string>
#include <vector>

#include "record/record.hpp"

namespace warpclock {

/// What the curves of a record show: for each probe that runs along an axis, and for each set of its other parameters,
/// what its `finds` ask for. Only measured cases are points. Names are stable: `<measure>.<n>` and `<axis>.<n>` for the
/// n-th level and where it ends, counted along the axis; `<axis>.<n>` for a step alone; `<measure>.plateau`, and
/// `in_flight.90` or `<axis>.90` (and 99) for the place that reaches so many percent of it; `<axis>.period`;
/// `<measure>.class<n>` and `<measure>.outlier`, over places also `<measure>.near` and `<measure>.far`
/// where they are on two sides, and `<measure>.place.…` of their means;
/// `<measure>.groups`.
///
/// A level is called by where its loads were answered ("L1", "L2", "DRAM"), which the counters of every one of its
/// points say (99 % of the sectors, or no more than 1 % of them at the level above); what they do not say so has no
/// name and says why. Nor has one of whose points any lies 1 % off. Pure.
[[nodiscard]] std::vector<Feature> find_features(const Record& record);

}  // namespace warpclock
