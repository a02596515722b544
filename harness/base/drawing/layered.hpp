#pragma once

#include <cstddef>
#include <vector>

namespace warpclock {

struct Point {
  double x = 0, y = 0;
};

/// A box of a drawing, by its upper left corner.
struct Box {
  double x = 0, y = 0, width = 0, height = 0;
};

/// An edge of a graph. What goes back is drawn upwards; the other edges have no cycle.
struct DirectedEdge {
  std::size_t from = 0, to = 0;
  bool back = false;
};

/// A way of an edge from the bottom of a box to the top of another, in steps that alternate: a curve that begins and
/// ends vertically, and a straight vertical line. The first is a straight line.
using Way = std::vector<Point>;

struct Drawing {
  double width = 0, height = 0;
  std::vector<Box> boxes;  ///< one for each of `sizes`
  std::vector<Way> ways;   ///< one for each of `edges`
};

/// Places boxes of these sizes (their x and y do not count) in layers, each below those that lead to it, and draws the
/// edges between them: no box covers another, and no edge crosses a box. The same graph gives the same drawing. By
/// Sugiyama, Tagawa and Toda, "Methods for Visual Understanding of Hierarchical System Structures" (1981).
[[nodiscard]] Drawing draw_in_layers(const std::vector<Box>& sizes, const std::vector<DirectedEdge>& edges);

}  // namespace warpclock
