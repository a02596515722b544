#pragma once

#include <optional>

#include "code/listing.hpp"
#include "model/machine.hpp"

namespace warpclock {

/// The part of the SM clock that is left while a kernel multiplies by tensor cores for `share` of its cycles (0 to 1):
/// on a line between the rows of `wgmma/clock` of its type, and of `matrix/mma_sustained` for mma.sync. 1 if it does
/// not; nothing without rows.
[[nodiscard]] std::optional<double> tensor_clock(const Machine& machine, const Listing& listing, double share);

}  // namespace warpclock
