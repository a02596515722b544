#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <vector>

#include "base/error.hpp"
#include "execute/accesses/access_profile.hpp"
#include "predict/executed_kernel.hpp"
#include "predict/kernel_loops.hpp"

namespace warpclock {

/// The way through a kernel.
struct KernelPath {
  std::vector<KernelLoop> loops;
  std::map<std::size_t, bool> by_loops;  ///< jumps_by_loops()
  std::map<std::size_t, std::vector<double>>
      taken;                    ///< ExecutedKernel::taken, or the part that counts say of all warps
  std::set<std::size_t> open;   ///< jumps that nothing decides
  std::set<std::size_t> aside;  ///< jumps_aside()
  ExecutedKernel executed;

  /// Takes loops without known trips for ones without any, if warps never come to their headers. Returns whether there
  /// are such loops.
  bool skip_loops(const std::function<bool(std::size_t header)>& entered);
};

/// From what is said of loops, executed counts, and the values of the launch. `at_once`: blocks that run at once, 0:
/// all. Errors of kernel_loops().
[[nodiscard]] Expected<KernelPath> kernel_path(const LoadedKernel& kernel, const PredictOptions& options,
                                               const ExecutedLaunch& launch, const CacheRoom& room = {},
                                               std::uint64_t at_once = 0);

/// The part of its executions in which each jump forward is taken, or in which warps end, by the executions of what
/// comes after it.
[[nodiscard]] std::map<std::size_t, double> parts_by_counts(const Listing& listing, const FlowGraph& graph,
                                                            const ExecutedCounts& counts);

}  // namespace warpclock
