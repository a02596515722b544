#pragma once

#include <vector>

#include "inspect/flow_graph.hpp"
#include "inspect/inspection.hpp"
#include "inspect/latency_table.hpp"
#include "inspect/load.hpp"

namespace warpclock {

/// A row for each loop of the graph, in its order.
[[nodiscard]] std::vector<LoopFacts> loop_facts(const LoadedKernel& kernel, const FlowGraph& graph,
                                                const LatencyTable& latencies);

/// Lines of these instructions by file, in the order of their first instruction.
[[nodiscard]] std::vector<LineRange> line_ranges(const LoadedKernel& kernel, const std::vector<std::size_t>& indices);

}  // namespace warpclock
