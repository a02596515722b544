#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>

#include "predict/memory/access_pattern.hpp"
#include "predict/path_walk.hpp"

namespace warpclock {

/// What executing some blocks of a launch says of its kernel.
struct ExecutedKernel {
  PathWalk walk;
  std::map<std::size_t, AccessPattern> patterns;  ///< by index; nothing if the addresses are not known
  std::map<std::size_t, double> executions;       ///< by warps of the whole launch, or of bulk copies
};

/// Nothing where the launch and the arguments do not decide all jumps and meetings, or where trips are said that the
/// launch need not have. `l1_bytes`: what L1 has room for of each block.
[[nodiscard]] std::optional<ExecutedKernel> executed_kernel(const PathWalkInput& input, std::uint64_t l1_bytes);

}  // namespace warpclock
