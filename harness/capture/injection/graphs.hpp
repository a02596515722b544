#pragma once

#include <cuda.h>

#include <array>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "capture/injection/functions.hpp"

namespace warpclock::injected {

/// The addresses that a launch has, and where.
using LaunchAddresses = std::vector<std::pair<ParameterWord, std::uint64_t>>;

/// A launch that runs later.
struct Planned {
  int launch = -1;
  std::array<unsigned, 3> grid{}, block{};
  LaunchAddresses addresses;
};

/// The launches of the nodes of graphs, by what CUPTI numbers: a graph in the upper and a node in the lower half. Nodes
/// of a clone have the numbers of the original ones. An executable graph numbers the nodes of its child graphs after
/// its own, child after child, whereas CUPTI says they are clones in a graph of their own (H200, driver 580).
class GraphNodes {
 public:
  /// A node was made. Of a kernel, `launch` says what it launches, if that is known by now.
  void made(std::uint64_t node, std::optional<Planned> launch);
  /// A node is a clone, of which `child` is the graph in the original one, if it has one.
  void cloned(std::uint64_t from, std::uint64_t to, std::optional<std::uint32_t> child);
  /// What a node launches is known, or has changed.
  void launches(std::uint64_t node, Planned launch);
  [[nodiscard]] bool knows(std::uint64_t node) const;
  /// An executable graph takes the nodes of another graph, which has as many, instead of its own; or those of the child
  /// graph of one of its nodes.
  void updated(std::uint32_t executable, std::uint32_t graph);
  void child_updated(std::uint64_t node, std::uint32_t child);
  /// What the node of an executable graph launches that ran with this grid and block.
  [[nodiscard]] std::optional<Planned> find(std::uint64_t node, const std::array<unsigned, 3>& grid,
                                            const std::array<unsigned, 3>& block) const;

  static constexpr std::uint64_t id(std::uint32_t graph, std::uint32_t node) {
    return std::uint64_t{graph} << 32U | node;
  }
  static constexpr std::uint32_t graph_of(std::uint64_t node) { return static_cast<std::uint32_t>(node >> 32U); }
  static constexpr std::uint32_t number_of(std::uint64_t node) { return static_cast<std::uint32_t>(node); }

 private:
  struct Graph {
    std::uint32_t nodes = 0;
    bool is_clone = false;
    std::map<std::uint32_t, std::uint32_t> children;  ///< the graphs in its nodes
  };
  /// `lock_` is held, as below.
  void copy_launch(std::uint64_t from, std::uint64_t to);
  /// Adds the nodes of the child graphs of a graph, as an executable graph numbers them.
  void add_inlined(std::uint32_t graph, std::vector<std::uint64_t>& nodes) const;

  mutable std::mutex lock_;
  std::unordered_map<std::uint64_t, Planned> launches_;
  std::unordered_map<std::uint32_t, Graph> graphs_;
  std::unordered_map<std::uint32_t, std::uint32_t> last_clone_;  ///< of a graph
};

}  // namespace warpclock::injected
