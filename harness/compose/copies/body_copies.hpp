#pragma once

#include <cstdint>

#include "base/error.hpp"
#include "compose/copies/body.hpp"
#include "compose/copies/room.hpp"
#include "compose/filling.hpp"
#include "ptx/experiment/experiment.hpp"

namespace warpclock {

/// The copies of a body for an experiment with the repeat count `n`: a chain through the experiment's link, or
/// independent copies. Distances inside a copy are those of ptxas. From copy to copy, a result of fixed latency is read
/// after the cycles that ptxas leaves for it (fields/form.hpp). Error "compose" if the registers of the room do not
/// suffice, or if a result would have to be moved to become the operand of the next copy.
[[nodiscard]] Expected<Filling> copies_of(const Body& body, const Room& room, const Experiment& experiment,
                                          std::int64_t n);

}  // namespace warpclock
