#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "code/listing.hpp"
#include "inspect/inspection.hpp"

namespace warpclock {

inline constexpr std::size_t no_index = std::numeric_limits<std::size_t>::max();

/// Instructions that issue one after the other: only the last one may jump, and only the first is a target.
struct BasicBlock {
  std::size_t first = 0, end = 0;  ///< indices of instructions
  std::vector<std::size_t> next, before;
  std::size_t dominator = no_index;  ///< the nearest block through which every path from the entry comes
  std::size_t loop = no_index;       ///< the innermost loop that contains it
  bool reached = false;              ///< from the entry
  std::size_t dominated_first = 0, dominated_last = 0;  ///< numbers of the blocks that it dominates; the first: its own
};

/// A natural loop: the blocks from which a back edge to the header can be reached without passing the header.
struct Loop {
  std::size_t header = 0;
  std::vector<std::size_t> blocks;   ///< sorted; those of inner loops too
  std::vector<std::size_t> latches;  ///< blocks with an edge back to the header
  std::size_t parent = no_index;
  int depth = 1;
};

struct FlowGraph {
  std::vector<BasicBlock> blocks;
  std::vector<Loop> loops;              ///< by the header's address; an outer loop before its inner ones
  std::vector<std::size_t> unresolved;  ///< jumps whose target is not in the listing, or in a register
  bool irreducible = false;             ///< whether control enters a cycle at several places; that is no loop here
  bool too_nested = false;              ///< whether loops are left out, as they would hold ten million blocks together
};

/// Where jumps through registers may lead: addresses by the address of the jump.
using IndirectTargets = std::map<std::uint64_t, std::vector<std::uint64_t>>;

/// The control flow of a kernel. A call is assumed to return, and what it calls in the same section is reached by it.
[[nodiscard]] FlowGraph flow_graph(const Listing& listing, const IndirectTargets& indirect = {});

/// The blocks that `first` reaches within those that are `inside`, each before those that it leads to, apart from edges
/// that go back.
[[nodiscard]] std::vector<std::size_t> in_order_of_flow(const FlowGraph& graph, std::size_t first,
                                                        const std::function<bool(std::size_t)>& inside);

/// Whether every path from the entry to `block` passes `by`. Both are reached.
[[nodiscard]] bool dominates(const FlowGraph& graph, std::size_t by, std::size_t block);

/// Whether each trip of a loop passes the block.
[[nodiscard]] bool on_each_trip(const FlowGraph& graph, const Loop& loop, std::size_t block);

/// What a drawing says of a block.
struct GraphBlock {
  std::string name;                ///< "0x0180  loop 0, in loop 1: header"
  std::string says;                ///< "17 instructions, 51 issue cycles, gemm.cu:12-30"
  std::vector<std::string> lines;  ///< instructions with their addresses; of a long block the first and the last
  std::vector<std::string> all;    ///< all of them
  std::vector<std::string> ends;   ///< for each edge "taken @P0", "back to loop 0"; for none "exit"
  int depth = 0;                   ///< of its loop
};

/// One for each of `kernel.blocks`.
[[nodiscard]] std::vector<GraphBlock> graph_blocks(const KernelInspection& kernel);

/// The control-flow graph of a kernel as a picture of its own, light or dark as the reader's system is. Error "graph"
/// if the kernel has so many blocks that nobody could read it.
[[nodiscard]] Expected<std::string> graph_svg(const KernelInspection& kernel);

/// The same in the language of Graphviz, with a cluster for each loop.
[[nodiscard]] std::string graph_dot(const KernelInspection& kernel);

}  // namespace warpclock
