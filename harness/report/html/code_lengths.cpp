#include <algorithm>
#include <cstddef>
#include <functional>
#include <queue>
#include <utility>

#include "report/html/deflate.hpp"

namespace warpclock {
namespace {

/// Huffman's algorithm; ties by number, so that the result is one only.
std::vector<std::uint8_t> unlimited(const std::vector<std::uint32_t>& frequencies) {
  using Node = std::pair<std::uint64_t, std::size_t>;  // weight, number
  std::priority_queue<Node, std::vector<Node>, std::greater<>> open;
  for (std::size_t i = 0; i < frequencies.size(); ++i) {
    if (frequencies[i] > 0) open.emplace(frequencies[i], i);
  }
  std::vector<std::size_t> parent(frequencies.size(), 0);
  while (open.size() > 1) {
    const Node a = open.top();
    open.pop();
    const Node b = open.top();
    open.pop();
    parent[a.second] = parent[b.second] = parent.size();
    open.emplace(a.first + b.first, parent.size());
    parent.push_back(0);
  }
  // Parents have higher numbers than their children, and the root the highest.
  std::vector<std::uint8_t> depth(parent.size(), 0);
  for (std::size_t i = parent.size(); i-- > 0;) {
    if (parent[i] != 0) depth[i] = static_cast<std::uint8_t>(depth[parent[i]] + 1);
  }
  depth.resize(frequencies.size());
  return depth;
}

}  // namespace

std::vector<std::uint8_t> code_lengths(const std::vector<std::uint32_t>& frequencies, int longest) {
  std::vector<std::uint32_t> flat = frequencies;
  const auto used = std::ranges::count_if(flat, [](std::uint32_t each) { return each > 0; });
  std::vector<std::uint8_t> lengths(flat.size(), 0);
  if (used < 2) {
    const auto only = std::ranges::max_element(flat);
    lengths[static_cast<std::size_t>(only - flat.begin())] = 1;
    return lengths;
  }
  // Flatter frequencies give flatter trees; all equal, the tree is as flat as can be.
  for (lengths = unlimited(flat); *std::ranges::max_element(lengths) > longest; lengths = unlimited(flat)) {
    for (std::uint32_t& each : flat) each = each / 2 + each % 2;
  }
  return lengths;
}

}  // namespace warpclock
