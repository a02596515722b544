#pragma once

#include <string>
#include <vector>

#include "base/error.hpp"
#include "inspect/inspection.hpp"

namespace warpclock {

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
