#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "execute/accesses/access_profile.hpp"
#include "execute/launch.hpp"
#include "inspect/flow_graph.hpp"
#include "inspect/load.hpp"
#include "predict/kernel_loops.hpp"
#include "predict/memory/access_pattern.hpp"
#include "predict/predict.hpp"

namespace warpclock {

/// How often warps came to a loop, and how many trips they had in all.
struct EnteredLoop {
  double entries = 0, trips = 0;
  std::vector<double>
      of_warps;  ///< trips of each warp of a block, each time that it came to it; empty: all have as many
};

/// What executing some blocks of a launch says of its kernel. Where values do not decide a jump, what is said of loops
/// does, else a jump forward is not taken.
struct ExecutedKernel {
  std::string missing;                               ///< why nothing is known; empty: it was executed
  std::map<int, EnteredLoop> loops;                  ///< by id
  std::map<std::size_t, std::vector<double>> taken;  ///< by jump: the part that is taken, for each warp of a block
  std::set<std::size_t> open;                        ///< jumps that neither values nor loops decide
  std::map<std::size_t, AccessPattern> patterns;     ///< of accesses whose addresses are known, by index
  std::map<std::size_t, ConstantUse> constants;      ///< of loads from constant memory at addresses in registers
  std::map<std::size_t, std::string> lost;           ///< why they are not, of the others that were executed
  std::set<std::size_t> presumed;                    ///< loads of lanes of which nobody knows whether they execute them
  bool calls = false;                                ///< whether a warp calls a function
  bool waits = false;                                ///< whether blocks load what others store for them
  std::set<std::size_t> counters;                    ///< atomics at which blocks are taken to take turns
  std::map<std::size_t, double> executions;  ///< of accesses by warps, or of bulk copies, in the whole launch; nothing
                                             ///< if some loops had fewer trips, or jumps are open
  std::map<int, std::int64_t> extents;  ///< of buffers of which a part may be needed, by their argument: bytes from the
                                        ///< first accessed line to the last
};

/// A launch whose buffers are given or presumed.
struct KernelLaunch {
  ExecutedLaunch launch;
  std::vector<int> presumed;  ///< arguments of 8 bytes that nobody gave and that are taken for addresses of buffers
};

/// Arguments of 8 bytes that decide no jump, no barrier and no guard are presumed to be addresses of buffers that hold
/// whatever is accessed. Errors of executed_launch().
[[nodiscard]] Expected<KernelLaunch> kernel_launch(const LoadedKernel& kernel, const LaunchShape& shape);

struct ExecutionInput {
  const LoadedKernel& kernel;
  const FlowGraph& graph;
  const std::vector<KernelLoop>& loops;         ///< with the trips that are said
  const std::map<std::size_t, bool>& by_loops;  ///< jumps_by_loops()
  const ExecutedLaunch& launch;
  CacheRoom room;
  std::uint64_t at_once = 0;  ///< blocks that run at once; 0: all
};

[[nodiscard]] ExecutedKernel executed_kernel(const ExecutionInput& input);

}  // namespace warpclock
