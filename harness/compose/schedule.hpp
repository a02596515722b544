#pragma once

#include <vector>

#include "base/error.hpp"
#include "compose/body.hpp"
#include "compose/wiring.hpp"

namespace warpclock {

/// Puts the words of copies of a body in the order in which they can issue, and sets their stall counts: each issues as
/// soon as the distances allow. A copy keeps its order; words of later copies go ahead while an earlier one waits.
/// Inside a copy the distances are those of ptxas, except where the isolated kernel's own loads and stores were in
/// between. `copies` are in the order of the body's words, one copy after another. `chained`: each copy waits for the
/// one before. Error "compose" if the copies wait for each other.
[[nodiscard]] Expected<std::vector<Copy>> scheduled(const Body& body, std::vector<Copy> copies, bool chained);

}  // namespace warpclock
