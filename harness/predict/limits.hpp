#pragma once

#include <cstddef>
#include <cstdint>
#include <map>

#include "code/listing.hpp"
#include "inspect/load.hpp"
#include "predict/memory/access_pattern.hpp"
#include "predict/prediction.hpp"
#include "predict/simulation/run.hpp"

namespace warpclock {

/// What limits the run, where its warps wait, and its first issues. `alone` is the time of one warp as a share of that
/// of all.
void add_limits(Prediction& prediction, const Listing& listing, const Runs& runs, double alone);

/// What each instruction of the listing takes in a launch of so many blocks.
void add_instructions(Prediction& prediction, const LoadedKernel& kernel, const Runs& runs,
                      const std::map<std::size_t, AccessPattern>& patterns, std::int64_t blocks);

/// The instructions for which the model has no row, those first of which most is not known.
void add_unknown(Prediction& prediction, const Listing& listing, const Runs& runs);

}  // namespace warpclock
