#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "code/listing.hpp"
#include "inspect/critical_path.hpp"
#include "inspect/flow_graph.hpp"
#include "inspect/inspection.hpp"
#include "inspect/load.hpp"

namespace warpclock {

/// What an instruction accesses, counted once; nothing if it accesses no memory.
[[nodiscard]] std::optional<Access> access_of(const Instruction& instruction);

/// What the instructions with these indices, in the order of the listing, are made of. `branched` stays 0.
[[nodiscard]] Mix mix_of(const Listing& listing, std::span<const std::size_t> indices);

/// A row for each loop of the graph, in its order.
[[nodiscard]] std::vector<LoopFacts> loop_facts(const LoadedKernel& kernel, const FlowGraph& graph,
                                                const LatencyTable& latencies);

/// A row for each block of the graph that is reached, by address.
[[nodiscard]] std::vector<BlockFacts> block_facts(const LoadedKernel& kernel, const FlowGraph& graph);

/// Lines of these instructions by file, in the order of their first instruction.
[[nodiscard]] std::vector<LineRange> line_ranges(const LoadedKernel& kernel, const std::vector<std::size_t>& indices);

/// For each instruction the vector registers whose values it or a later one may still read when it issues. Registers of
/// a caller are not among them, so this is of whole kernels whose jumps and calls are all in the graph. A write under a
/// guard keeps the value before it. Instructions that nothing reaches have 0.
[[nodiscard]] std::vector<int> live_registers(const Listing& listing, const FlowGraph& graph);

}  // namespace warpclock
