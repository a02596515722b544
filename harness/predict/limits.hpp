#pragma once

#include "code/listing.hpp"
#include "predict/prediction.hpp"
#include "predict/simulation/run.hpp"

namespace warpclock {

/// What limits the run, where its warps wait, and its first issues. `alone` is the time of one warp as a share of that
/// of all.
void add_limits(Prediction& prediction, const Listing& listing, const Runs& runs, double alone);

/// The instructions for which the model has no row.
void add_unknown(Prediction& prediction, const Listing& listing, const Runs& runs);

}  // namespace warpclock
