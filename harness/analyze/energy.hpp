#pragma once

#include "analyze/estimates.hpp"
#include "base/error.hpp"

namespace warpclock {

/// What a unit of work adds to the energy of the board, in pJ: the slope, over the repeat count, of the energy of a
/// block's window, divided by the work. A window that lasts longer than one at the smallest repeat count also takes
/// more of the power that is there without the work, so that much is subtracted: what the smallest one took, for the
/// time by which it is longer. The interval is that of fit_line(), also where the line is bent.
///
/// Errors: "no-value" if the board's energy was not counted, or if windows differ by more than a fifth in length, so
/// that what is subtracted decides; "no-slope", "nonlinear".
[[nodiscard]] Expected<Estimate> energy_of_work(const Measure& measure, const Samples& samples);

/// The board's power at the smallest repeat count, in W. The interval is from the lowest to the highest round of
/// launches. Error "no-value".
[[nodiscard]] Expected<Estimate> power_of_board(const Measure& measure, const Samples& samples);

}  // namespace warpclock
