#pragma once

#include <optional>

#include "predict/path_walk.hpp"

namespace warpclock {

/// The ways of some warps by executing the machine code, where the launch and the arguments say all that decides jumps
/// and meetings. Nothing where they do not, or where trips are said that the launch need not have.
[[nodiscard]] std::optional<PathWalk> executed_walk(const PathWalkInput& input);

}  // namespace warpclock
