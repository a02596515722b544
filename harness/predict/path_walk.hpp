#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "inspect/flow_graph.hpp"
#include "inspect/load.hpp"
#include "predict/kernel_loops.hpp"
#include "predict/memory/access_pattern.hpp"

namespace warpclock {

/// How often warps came to a loop, and how many trips they had in all.
struct WalkedLoop {
  double entries = 0, trips = 0;
};

/// The ways from a jump that lanes were seen to go.
struct SeenWays {
  bool jump = false, on = false;
};

/// The ways of some warps through a kernel, as far as values decide them: indices of threads and blocks, arguments,
/// constants. Where they do not, what is said of loops does, else a jump forward is not taken.
struct PathWalk {
  bool complete = false;                             ///< else the ways are too long, and nothing is known
  std::map<int, WalkedLoop> loops;                   ///< by id
  std::map<std::size_t, std::vector<double>> taken;  ///< by jump: the part that is taken, for each warp of a block
  std::map<std::size_t, SeenWays> seen;              ///< by jump: which ways any lane went
  std::set<std::size_t> open;                        ///< jumps that neither values nor loops decide
};

struct PathWalkInput {
  const LoadedKernel& kernel;
  const FlowGraph& graph;
  const std::vector<KernelLoop>& loops;         ///< with the trips that are said
  const std::map<std::size_t, bool>& by_loops;  ///< jumps_by_loops()
  const LaunchShape& shape;
};

/// Whether something is called before the target of a jump forward.
[[nodiscard]] bool calls_before(const Listing& listing, std::size_t jump, std::size_t target);

/// Some blocks of the grid, spread over it in no step that a row or a column has too; any block if there is no grid.
[[nodiscard]] std::vector<std::optional<std::array<std::uint32_t, 3>>> sampled_blocks(const LaunchShape& shape);

[[nodiscard]] PathWalk walk_paths(const PathWalkInput& input);

}  // namespace warpclock
