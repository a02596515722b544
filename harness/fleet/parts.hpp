#pragma once

#include <cstddef>
#include <vector>

#include "fleet/fleet.hpp"
#include "record/record.hpp"

namespace warpclock {

/// The parts of one GPU that lie three sigmas or more from the others of their kind, and how many were compared. The
/// index of the GPU is left to the caller.
struct ComparedParts {
  std::vector<PartOutlier> away;
  std::size_t tested = 0;
};

/// Compares, for each probe of the memory whose rows have a value for each SM: the SMs by their mean over the rows; the
/// lines of L2 by their mean over the SMs; and the GPCs, where memory/gpc_map says which SMs share one.
[[nodiscard]] ComparedParts compare_parts(const Record& record);

}  // namespace warpclock
