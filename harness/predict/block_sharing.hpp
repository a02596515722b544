#pragma once

#include <cstddef>
#include <map>

#include "execute/execute.hpp"
#include "predict/chosen_ways.hpp"

namespace warpclock {

/// Which blocks have the same addresses of an access to global memory.
struct BlockSharing {
  bool by_block = true;  ///< whether blocks have different ones
  double sharers = 1;    ///< blocks of the grid that have the same ones
};

/// By index: what the first accesses of some blocks say that differ along one axis of the grid. Those along whose axis
/// nothing differs have the same addresses.
[[nodiscard]] std::map<std::size_t, BlockSharing> sharing_of(const LoadedKernel& kernel, const ExecutedLaunch& launch,
                                                             const CodeProgram& program, ChosenWays& ways,
                                                             const ExecuteLimits& limits);

}  // namespace warpclock
