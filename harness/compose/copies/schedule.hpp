#pragma once

#include <vector>

#include "base/error.hpp"
#include "compose/copies/body.hpp"
#include "compose/wiring.hpp"

namespace warpclock {

/// The copies in the order in which they issue, with their stall counts. Every copy issues the same number of cycles
/// after the one before, and each of its words at the same time of that period. Words of several copies overlap. Where
/// scoreboards decide, only the order is fixed in advance, and each word issues as soon as the distances and the pipes
/// allow. Loads, stores and fences of a copy keep their order. Inside a copy the distances are those of ptxas, but
/// after ALU and FMA instructions, and where other instructions were in between, they are the least that a result
/// needs. `copies` are in the order of the body's words, one copy after another. `chained`: each copy waits for the one
/// before it. Error "compose" if the copies wait for each other.
[[nodiscard]] Expected<std::vector<Copy>> scheduled(const Body& body, std::vector<Copy> copies, bool chained);

}  // namespace warpclock
