#pragma once

#include <cstddef>
#include <map>
#include <set>
#include <vector>

#include "inspect/flow_graph.hpp"
#include "predict/kernel_loops.hpp"

namespace warpclock {

/// The jumps of which only one way leads to a loop that has trips, or only one past a loop that has none, by index:
/// with whether that is the way of the jump. A way ends where a loop begins again.
[[nodiscard]] std::map<std::size_t, bool> jumps_by_loops(const Listing& listing, const FlowGraph& graph,
                                                         const std::vector<KernelLoop>& loops);

/// Jumps back that go round no loop: to code that is placed before them and goes on after them.
[[nodiscard]] std::set<std::size_t> jumps_aside(const Listing& listing, const FlowGraph& graph);

}  // namespace warpclock
