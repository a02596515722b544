#pragma once

#include <vector>

#include "code/listing.hpp"
#include "inspect/flow_graph.hpp"

namespace warpclock {

/// For each instruction the vector registers whose values it or a later one may still read when it issues. Registers of
/// a caller are not among them, so this is of whole kernels whose jumps and calls are all in the graph. A write under a
/// guard keeps the value before it. Instructions that nothing reaches have 0.
[[nodiscard]] std::vector<int> live_registers(const Listing& listing, const FlowGraph& graph);

}  // namespace warpclock
