#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"
#include "inspect/graph/graph.hpp"
#include "inspect/inspection_output.hpp"

namespace warpclock {
namespace {

constexpr std::size_t most_lines = 14, first_lines = 9, last_lines = 4;

std::string name_of(const KernelInspection& kernel, const BlockFacts& block) {
  std::string name = address_text(block.begin);
  if (!block.loop) return name;
  const LoopFacts& loop = kernel.loops[static_cast<std::size_t>(*block.loop)];
  name += fmt::format("  loop {}", loop.id);
  if (loop.parent) name += fmt::format(" in {}", *loop.parent);
  return loop.begin == block.begin ? name + ": header" : name;
}

/// The predicate of the jump at the end of a block, with a blank before it: " @!P0".
std::string guard_of(const std::string& text) {
  return text.starts_with('@') ? " " + text.substr(0, text.find(' ')) : std::string();
}

std::vector<std::string> ends_of(const KernelInspection& kernel, const BlockFacts& block,
                                 const ListedInstruction& last) {
  std::vector<std::string> ends;
  for (const BlockEdge& edge : block.next) {
    std::string& text = ends.emplace_back(edge.kind + (edge.kind == "taken" ? guard_of(last.text) : ""));
    if (!edge.back) continue;
    const auto loop = std::ranges::find(kernel.loops, edge.to, &LoopFacts::begin);
    text += loop == kernel.loops.end() ? ", back" : fmt::format(", back in loop {}", loop->id);
  }
  if (std::ranges::find(kernel.unresolved, last.address) != kernel.unresolved.end()) ends.emplace_back("not followed");
  if (ends.empty()) ends.emplace_back("ends");
  return ends;
}

}  // namespace

std::vector<GraphBlock> graph_blocks(const KernelInspection& kernel) {
  std::vector<GraphBlock> all;
  for (const BlockFacts& block : kernel.blocks) {
    GraphBlock& out = all.emplace_back();
    const auto first = std::ranges::lower_bound(kernel.listing, block.begin, {}, &ListedInstruction::address),
               end = std::ranges::lower_bound(kernel.listing, block.end, {}, &ListedInstruction::address);
    out.name = name_of(kernel, block);
    out.says =
        fmt::format("{}, {} to issue", counted(end - first, "instruction"), counted(block.issue_cycles, "cycle"));
    if (const std::string lines = lines_text(block.lines); !lines.empty()) out.says += ", " + lines;
    for (auto each = first; each != end; ++each)
      out.all.push_back(fmt::format("{}  {}", address_text(each->address), each->text));
    out.lines = out.all;
    if (out.all.size() > most_lines) {
      out.lines.resize(first_lines);
      out.lines.push_back(fmt::format("\xE2\x80\xA6 {} more", out.all.size() - first_lines - last_lines));
      out.lines.insert(out.lines.end(), out.all.end() - last_lines, out.all.end());
    }
    out.ends = ends_of(kernel, block, *(end - 1));
    if (block.loop) out.depth = kernel.loops[static_cast<std::size_t>(*block.loop)].depth;
  }
  return all;
}

}  // namespace warpclock
