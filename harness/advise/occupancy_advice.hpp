#pragma once

#include "advise/citations.hpp"
#include "inspect/inspection.hpp"
#include "inspect/load.hpp"

namespace warpclock {

struct OccupancyQuestion {
  int threads = 0;                 ///< of a block; 0: what the kernel states
  std::int64_t dynamic_bytes = 0;  ///< shared memory that the launch adds
};

/// Blocks and warps of an SM for each kernel of an inspection that was made with the GPU's model, the next step of
/// registers or shared memory that adds a block, and what more warps bring by the measured curves. A kernel without a
/// stated number of threads gets the answer for each usual one. Error "kernel" if the file has no kernel that is
/// launched, "unsupported-arch" if the limits of its architecture are not known. Pure.
[[nodiscard]] Expected<Advice> advise_occupancy(const AdviceSource& from, const Inspection& inspection);

}  // namespace warpclock
