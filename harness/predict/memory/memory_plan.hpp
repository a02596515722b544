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
};

/// What is known of the accesses of a kernel, by index in its listing.
struct MemoryPlan {
  std::map<std::size_t, AccessPattern> patterns;
  std::map<std::size_t, MemoryLevel> hits;
  std::vector<std::string> assumed;
};

/// Error "predict" if there is no access at the address of a level or a stride.
[[nodiscard]] Expected<MemoryPlan> plan_memory(const LoadedKernel& kernel, const MemoryKnown& known);

/// The part of the bytes that DRAM has to answer, by index: a buffer comes once, however often all loads from it
/// read it, and is written back once; what is read again is taken to be in L2 still. `executions` has how often warps
/// of the launch execute each access.
[[nodiscard]] std::map<std::size_t, double> parts_of_dram(const Listing& listing, const MemoryPlan& plan,
                                                          const MemoryKnown& known,
                                                          const std::map<std::size_t, double>& executions);

/// The part of the accessed bytes of all known buffers that a cache does not have when they are accessed again in the
/// same order: none up to `room` bytes, all from twice as many on, and linearly between. `executions` as above.
[[nodiscard]] double part_beyond(double room, const Listing& listing, const MemoryPlan& plan, const MemoryKnown& known,
                                 const std::map<std::size_t, double>& executions);

}  // namespace warpclock
