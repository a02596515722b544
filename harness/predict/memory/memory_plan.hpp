#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "inspect/load.hpp"
#include "predict/memory/access_pattern.hpp"
#include "predict/memory/memory_level.hpp"

namespace warpclock {

/// What a user or a launch says of the accesses of a kernel.
struct MemoryKnown {
  LaunchShape shape;
  MemoryLevel level = MemoryLevel::L2;
  std::map<std::int64_t, MemoryLevel> hits;      ///< by address
  std::map<std::int64_t, std::int64_t> strides;  ///< by address, in bytes
  std::int64_t l2_bytes = 0;                     ///< 0: not known
};

/// What is known of the accesses of a kernel, by index in its listing.
struct MemoryPlan {
  std::map<std::size_t, AccessPattern> patterns;
  std::map<std::size_t, MemoryLevel> hits;
  std::vector<std::string> assumed;
};

/// Error "predict" if there is no access at the address of a level or a stride.
[[nodiscard]] Expected<MemoryPlan> plan_memory(const LoadedKernel& kernel, const MemoryKnown& known);

/// The part of an access's bytes that DRAM has to answer: a buffer that L2 has room for comes once, however often it is
/// read. `executions` is of warps, in the whole launch.
[[nodiscard]] double part_of_dram(const AccessPattern& pattern, double executions, const MemoryKnown& known);

}  // namespace warpclock
