#pragma once

#include <optional>

#include "code/listing.hpp"
#include "model/machine.hpp"
#include "predict/prediction.hpp"

namespace warpclock {

/// The energy that the board uses for a launch, from what the prediction says of each instruction of the listing: what
/// it takes while its SMs have warps that wait, for the time of the launch, and what each instruction and each byte
/// adds to that by the rows of the `energy` suite. All lanes are taken to be active, and shared memory to have no bank
/// conflicts. Nothing if the model has no such rows or no SM clock, or if the prediction has no cycles.
[[nodiscard]] std::optional<PredictedEnergy> kernel_energy(const Machine& machine, const Listing& listing,
                                                           const Prediction& prediction);

}  // namespace warpclock
