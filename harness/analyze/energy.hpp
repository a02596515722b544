#pragma once

#include "analyze/estimates.hpp"
#include "base/error.hpp"

namespace warpclock {

/// The energy of a block's window in the place of its cycles, in pJ, of each round of launches: what a unit of work
/// adds to that of the board is the slope. A window that lasts longer than one at the smallest repeat count also takes
/// more of the power that is there without the work, so that much is subtracted: what the smallest one took, for the
/// time by which it is longer.
///
/// Error "no-value" if the board's energy was not counted, or if windows differ by more than a fifth in length, so that
/// what is subtracted decides.
[[nodiscard]] Expected<Samples> energy_samples(const Measure& measure, const Samples& samples);

/// The board's power at the smallest repeat count, in W. The interval is from the lowest to the highest round of
/// launches. Error "no-value".
[[nodiscard]] Expected<Estimate> power_of_board(const Measure& measure, const Samples& samples);

}  // namespace warpclock
