#include "inspect/flow_graph.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <ranges>
#include <utility>

#include "base/drawing.hpp"
#include "base/text.hpp"
#include "inspect/inspection_output.hpp"

namespace warpclock {

namespace {

/// The instructions to which a jump through a register may lead.
std::vector<std::size_t> indirect_targets(const Listing& listing, std::size_t index, const IndirectTargets& indirect) {
  std::vector<std::size_t> targets;
  const auto known = indirect.find(listing.instructions[index].address);
  if (known == indirect.end()) return targets;
  for (const std::uint64_t address : known->second) {
    const std::uint64_t target = address / word_bytes;
    if (address % word_bytes == 0 && target < listing.instructions.size()) targets.push_back(target);
  }
  return targets;
}

std::vector<BasicBlock> blocks_of(const Listing& listing, const IndirectTargets& indirect) {
  const std::size_t size = listing.instructions.size();
  std::vector<bool> begins(size + 1, false);
  if (size > 0) begins[0] = true;
  for (std::size_t i = 0; i < size; ++i) {
    if (!is_jump(listing.instructions[i])) continue;
    begins[i + 1] = true;
    begins[target_index(listing, listing.instructions[i])] = true;
    for (const std::size_t target : indirect_targets(listing, i, indirect)) begins[target] = true;
  }
  std::vector<BasicBlock> blocks;
  std::vector<std::size_t> block_at(size);
  for (std::size_t i = 0; i < size; ++i) {
    if (begins[i]) blocks.push_back({.first = i});
    block_at[i] = blocks.size() - 1;
    blocks.back().end = i + 1;
  }
  std::vector<std::size_t> follows(blocks.size(), no_index);  // the last block that each was found to follow
  for (std::size_t b = 0; b < blocks.size(); ++b) {
    std::vector<std::size_t> all = successors(listing, blocks[b].end - 1);
    const std::vector<std::size_t> more = indirect_targets(listing, blocks[b].end - 1, indirect);
    all.insert(all.end(), more.begin(), more.end());
    for (const std::size_t next : all) {
      if (std::exchange(follows[block_at[next]], b) == b) continue;
      blocks[b].next.push_back(block_at[next]);
      blocks[block_at[next]].before.push_back(b);
    }
  }
  return blocks;
}

/// Cooper, Harvey and Kennedy, "A Simple, Fast Dominance Algorithm" (2001).
void find_dominators(std::vector<BasicBlock>& blocks, const std::vector<std::size_t>& order) {
  std::vector<std::size_t> rank(blocks.size(), no_index);
  for (std::size_t i = 0; i < order.size(); ++i) rank[order[i]] = i;
  for (const std::size_t block : order) blocks[block].reached = true;
  if (order.empty()) return;
  blocks[order[0]].dominator = order[0];
  const auto common = [&](std::size_t a, std::size_t b) {
    while (a != b) {
      while (rank[a] > rank[b]) a = blocks[a].dominator;
      while (rank[b] > rank[a]) b = blocks[b].dominator;
    }
    return a;
  };
  for (bool changed = true; changed;) {
    changed = false;
    for (const std::size_t block : order) {
      if (block == order[0]) continue;
      std::size_t dominator = no_index;
      for (const std::size_t before : blocks[block].before) {
        if (blocks[before].dominator == no_index) continue;
        dominator = dominator == no_index ? before : common(before, dominator);
      }
      changed = changed || blocks[block].dominator != dominator;
      blocks[block].dominator = dominator;
    }
  }
}

/// Numbers the blocks so that those that a block dominates follow on it.
void number_dominated(std::vector<BasicBlock>& blocks, const std::vector<std::size_t>& order) {
  std::vector<std::size_t> sizes(blocks.size(), 1), next(blocks.size(), 0);
  for (const std::size_t block : order | std::views::reverse) {
    if (blocks[block].dominator != block) sizes[blocks[block].dominator] += sizes[block];
  }
  for (const std::size_t block : order) {
    const std::size_t above = blocks[block].dominator;
    const std::size_t first = above == block ? 0 : std::exchange(next[above], next[above] + sizes[block]);
    blocks[block].dominated_first = first;
    blocks[block].dominated_last = first + sizes[block] - 1;
    next[block] = first + 1;
  }
}

/// Adds the blocks that reach a latch without passing the header. `inside` has none before and after it.
void fill(Loop& loop, const std::vector<BasicBlock>& blocks, std::vector<bool>& inside) {
  inside[loop.header] = true;
  loop.blocks = {loop.header};
  std::vector<std::size_t> open = loop.latches;
  while (!open.empty()) {
    const std::size_t block = open.back();
    open.pop_back();
    if (inside[block]) continue;
    inside[block] = true;
    loop.blocks.push_back(block);
    for (const std::size_t before : blocks[block].before) {
      if (blocks[before].reached) open.push_back(before);
    }
  }
  for (const std::size_t block : loop.blocks) inside[block] = false;
  std::ranges::sort(loop.blocks);
}

void find_loops(FlowGraph& graph, const std::vector<std::size_t>& order) {
  std::vector<std::size_t> rank(graph.blocks.size(), no_index);
  for (std::size_t i = 0; i < order.size(); ++i) rank[order[i]] = i;
  std::map<std::size_t, Loop> by_header;
  for (const std::size_t block : order) {
    for (const std::size_t next : graph.blocks[block].next) {
      if (rank[next] > rank[block]) continue;
      if (!dominates(graph, next, block)) {
        graph.irreducible = true;
        continue;
      }
      by_header[next].header = next;
      by_header[next].latches.push_back(block);
    }
  }
  constexpr std::size_t most_held = 10'000'000;
  std::size_t held = 0;
  std::vector<bool> inside(graph.blocks.size(), false);
  for (auto& [header, loop] : by_header) {
    fill(loop, graph.blocks, inside);
    held += loop.blocks.size();
    graph.too_nested = held > most_held;
    if (graph.too_nested) return graph.loops.clear();
    graph.loops.push_back(std::move(loop));
  }
}

/// The innermost loop around each block and each loop. Larger loops claim their blocks first.
void nest(FlowGraph& graph) {
  std::vector<std::size_t> order(graph.loops.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::ranges::stable_sort(order, std::ranges::greater{}, [&](std::size_t i) { return graph.loops[i].blocks.size(); });
  for (const std::size_t i : order) {
    Loop& loop = graph.loops[i];
    loop.parent = graph.blocks[loop.header].loop;
    if (loop.parent != no_index) loop.depth = graph.loops[loop.parent].depth + 1;
    for (const std::size_t block : loop.blocks) graph.blocks[block].loop = i;
  }
}

}  // namespace

FlowGraph flow_graph(const Listing& listing, const IndirectTargets& indirect) {
  FlowGraph graph;
  graph.blocks = blocks_of(listing, indirect);
  const std::vector<std::size_t> order = in_order_of_flow(graph, 0, [](std::size_t) { return true; });
  find_dominators(graph.blocks, order);
  number_dominated(graph.blocks, order);
  find_loops(graph, order);
  nest(graph);
  for (std::size_t i = 0; i < listing.instructions.size(); ++i) {
    const Instruction& instruction = listing.instructions[i];
    const bool leaves = instruction.opcode == "EXIT" || instruction.opcode == "RET" || instruction.opcode == "KILL";
    const bool follows = target_index(listing, instruction) < listing.instructions.size() ||
                         !indirect_targets(listing, i, indirect).empty();
    if (is_jump(instruction) && !leaves && !follows) graph.unresolved.push_back(i);
  }
  return graph;
}

std::vector<std::size_t> in_order_of_flow(const FlowGraph& graph, std::size_t first,
                                          const std::function<bool(std::size_t)>& inside) {
  std::vector<std::size_t> order;
  std::vector<bool> seen(graph.blocks.size(), false);
  std::vector<std::pair<std::size_t, std::size_t>> path;  // a block and how many of its edges were followed
  const auto enter = [&](std::size_t block) {
    if (block >= seen.size() || seen[block] || !inside(block)) return;
    seen[block] = true;
    path.emplace_back(block, 0);
  };
  enter(first);
  while (!path.empty()) {
    const std::size_t block = path.back().first, followed = path.back().second++;
    if (followed < graph.blocks[block].next.size()) {
      enter(graph.blocks[block].next[followed]);
      continue;
    }
    order.push_back(block);
    path.pop_back();
  }
  std::ranges::reverse(order);
  return order;
}

bool dominates(const FlowGraph& graph, std::size_t by, std::size_t block) {
  const BasicBlock &above = graph.blocks[by], &below = graph.blocks[block];
  return above.dominated_first <= below.dominated_first && below.dominated_first <= above.dominated_last;
}

bool on_each_trip(const FlowGraph& graph, const Loop& loop, std::size_t block) {
  return std::ranges::all_of(loop.latches, [&](std::size_t latch) { return dominates(graph, block, latch); });
}

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

namespace {

std::string quoted(const std::string& text) {
  return '"' + replace_all(replace_all(text, "\\", "\\\\"), "\"", "\\\"") + '"';
}

/// Lines of a label that begin at its left.
std::string label_of(const GraphBlock& block) {
  std::string text;
  for (const auto& lines : {std::vector<std::string>{block.name, block.says}, block.lines})
    for (const std::string& line : lines) text += replace_all(replace_all(line, "\\", "\\\\"), "\"", "\\\"") + "\\l";
  return '"' + text + '"';
}

std::string_view look_of(const BlockEdge& edge) {
  if (edge.back) return ", color=\"#c8500a\", penwidth=2";
  if (edge.kind == "falls through" || edge.kind == "returns") return ", color=\"#5a6169\"";
  return edge.kind == "call" ? ", color=\"#0067a8\", style=dashed" : ", color=\"#0067a8\"";
}

}  // namespace

std::string graph_dot(const KernelInspection& kernel) {
  const auto blocks = graph_blocks(kernel);
  std::string out = "// Generated by warpclock from machine code: changes are overwritten.\ndigraph " +
                    quoted(kernel.readable) +
                    " {\n  node [shape=box, fontname=monospace, fontsize=10]\n  edge [fontname=monospace, "
                    "fontsize=9]\n";
  const std::function<void(std::optional<int>)> write = [&](std::optional<int> loop) {
    for (std::size_t i = 0; i < blocks.size(); ++i)
      if (kernel.blocks[i].loop == loop)
        out += fmt::format("  {} [label={}]\n", quoted(address_text(kernel.blocks[i].begin)), label_of(blocks[i]));
    for (const LoopFacts& inner : kernel.loops) {
      if (inner.parent != loop) continue;
      out += fmt::format("  subgraph cluster_{0} {{ label=\"loop {0}\"; style=filled; fillcolor=\"#0067a811\"\n",
                         inner.id);
      write(inner.id);
      out += "  }\n";
    }
  };
  write({});
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    const BlockFacts& block = kernel.blocks[i];
    for (std::size_t e = 0; e < block.next.size(); ++e)
      out += fmt::format("  {} -> {} [label={}{}]\n", quoted(address_text(block.begin)),
                         quoted(address_text(block.next[e].to)), quoted(blocks[i].ends[e]), look_of(block.next[e]));
  }
  return out + "}\n";
}

namespace {

constexpr double letter = 7.25, line = 16, margin = 8, head = 84, frame = 16;
constexpr std::size_t most_letters = 64, most_of_name = 110;

constexpr std::string_view style =
    "svg{--paper:#fff;--ink:#1d2329;--dim:#5a6169;--rule:#9aa1a8;--box:#f7f7f4;--loop:#0067a8;--jump:#0067a8;"
    "--back:#c8500a;background:var(--paper);font:12px ui-monospace,SFMono-Regular,Menlo,Consolas,\"DejaVu Sans "
    "Mono\",monospace}"
    "@media(prefers-color-scheme:dark){svg{--paper:#14181c;--ink:#e6e8ea;--dim:#a3abb3;--rule:#5a6169;--box:#1d2329;"
    "--loop:#4fa3d9;--jump:#6cb8ea;--back:#f0894a}}"
    "svg{fill:var(--ink)}text{white-space:pre}.t1{font-weight:bold}.t2{fill:var(--dim)}.b{fill:var(--box);stroke:var(--"
    "rule)}"
    ".d1,.d2,.d3,.d4{fill:var(--loop);stroke:var(--loop);fill-opacity:.07}.d2{fill-opacity:.14}.d3{fill-opacity:.21}"
    ".d4{fill-opacity:.28}.e{fill:none;stroke:var(--dim)}.taken,.call{stroke:var(--jump);stroke-width:1.5}"
    ".call{stroke-dasharray:5 3}.back{stroke:var(--back);stroke-width:2.5}.a{fill:var(--dim);stroke:none}"
    ".a.taken,.a.call{fill:var(--jump)}.a.back{fill:var(--back)}";

std::size_t letters(const std::string& text) {
  return static_cast<std::size_t>(std::ranges::count_if(text, [](char c) { return (c & 0xC0) != 0x80; }));
}

std::string cut(const std::string& text, std::size_t most = most_letters) {
  return letters(text) <= most ? text : text.substr(0, most - 1) + "\xE2\x80\xA6";
}

std::string_view css_of(const BlockEdge& edge) {
  if (edge.back) return "back";
  return edge.kind == "call" ? "call" : edge.kind == "taken" || edge.kind == "indirect" ? "taken" : "falls";
}

/// Whether the ends of the edges are written below the instructions.
bool says_ends(const BlockFacts& block) {
  return block.next.size() != 1 || block.next.front().back || block.next.front().kind != "falls through";
}

Box size_of(const BlockFacts& facts, const GraphBlock& block) {
  // Many edges (of a switch) are not named one by one.
  std::size_t widest = std::max(letters(cut(block.name)), letters(cut(block.says))), end = 0;
  for (const std::string& each : block.lines) widest = std::max(widest, letters(cut(each)));
  for (const std::string& each : block.ends) end = std::max(end, letters(each));
  if (says_ends(facts)) widest = std::max(widest, std::min((end + 2) * block.ends.size(), most_letters));
  const std::size_t lines = 2 + block.lines.size() + (says_ends(facts) ? 1 : 0);
  return {0, 0, static_cast<double>(widest) * letter + 2 * margin, static_cast<double>(lines) * line + 2 * margin};
}

/// The curves of a way through these points (see Way), and an arrow at its end.
void draw_way(Svg& svg, const Way& way, const BlockEdge& edge) {
  const auto at = [](double x, double y) { return coordinate(x) + " " + coordinate(y); };
  std::string data = "M" + at(way[0].x, way[0].y);
  for (std::size_t i = 1; i < way.size(); ++i) {
    const Point &a = way[i - 1], &b = way[i];
    if (i % 2 == 1) {
      data += "V" + coordinate(b.y);
      continue;
    }
    // An edge that turns comes back to the height at which it left.
    const double reach = a.y == b.y ? frame : (b.y - a.y) / 2, sign = i == 2 ? 1 : -1;
    data += a.y == b.y
                ? fmt::format("C{} {} {}", at(a.x, a.y + sign * reach), at(b.x, b.y + sign * reach), at(b.x, b.y))
                : fmt::format("C{} {} {}", at(a.x, a.y + reach), at(b.x, b.y - reach), at(b.x, b.y));
  }
  const Point& end = way.back();
  const std::string_view look = css_of(edge);
  svg.path(fmt::format("e {}", look), data);
  svg.path(fmt::format("a {}", look), fmt::format("M{}l-4 -8h8z", at(end.x, end.y)));
}

void draw_block(Svg& svg, const Box& box, const BlockFacts& facts, const GraphBlock& block, const Drawing& drawing,
                const std::vector<std::size_t>& edges) {
  svg.open_note("k", block.name + "\n" + block.says + "\n" + join(block.all, "\n"));
  svg.rectangle("b", box);
  if (block.depth > 0) svg.rectangle(fmt::format("d{}", std::min(block.depth, 4)), box);
  double y = box.y + margin + 12;
  const auto write = [&](std::string_view css, const std::string& text) {
    svg.text(css, box.x + margin, y, "start", cut(text));
    y += line;
  };
  write("t1", block.name);
  write("t2", block.says);
  for (const std::string& each : block.lines) write("t", each);
  if (says_ends(facts) && edges.empty()) write("t2", block.ends.front());
  if (says_ends(facts) && !edges.empty() && edges.size() <= 3)
    for (std::size_t e = 0; e < edges.size(); ++e)
      svg.text("t2", drawing.ways[edges[e]].front().x, y, "middle", block.ends[e]);
  svg.close_group();
}

void draw_key(Svg& svg) {
  const std::pair<std::string_view, std::string_view> key[] = {
      {"falls", "falls through"}, {"taken", "jump taken"}, {"back", "back edge"}, {"call", "call"}};
  double x = frame;
  for (const auto& [css, text] : key) {
    svg.path(fmt::format("e {}", css), fmt::format("M{} 62h24", coordinate(x)));
    svg.text("t2", x + 30, 66, "start", text);
    x += 60 + letter * static_cast<double>(text.size());
  }
  svg.text("t2", x, 66, "start", "shaded: loops");
}

}  // namespace

Expected<std::string> graph_svg(const KernelInspection& kernel) {
  constexpr std::size_t most_blocks = 1000, most_edges = 3000;
  const auto blocks = graph_blocks(kernel);
  std::map<std::int64_t, std::size_t> by_address;
  std::vector<Box> sizes;
  std::vector<DirectedEdge> edges;
  std::vector<std::vector<std::size_t>> own(blocks.size());
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    by_address[kernel.blocks[i].begin] = i;
    sizes.push_back(size_of(kernel.blocks[i], blocks[i]));
  }
  for (std::size_t i = 0; i < blocks.size(); ++i)
    for (const BlockEdge& edge : kernel.blocks[i].next)
      own[i].push_back(edges.size()), edges.push_back({i, by_address.at(edge.to), edge.back});
  if (blocks.size() > most_blocks || edges.size() > most_edges)
    return fail("graph", fmt::format("a picture of {} blocks cannot be read: name a .dot file", blocks.size()));
  const Drawing drawing = draw_in_layers(sizes, edges);
  const std::string name = cut(kernel.readable, most_of_name);
  const double width = 2 * frame + std::max({drawing.width, letter * static_cast<double>(letters(name)), 640.0});
  Svg svg("graph", width, drawing.height + head + frame, "Control flow of " + kernel.readable,
          "Basic blocks with their instructions, each below those that lead to it",
          "Generated by warpclock from machine code: changes are overwritten.", style);
  svg.text("t1", frame, 24, "start", name);
  svg.text("t2", frame, 42, "start",
           fmt::format("{}, {}, {}", counted(std::ssize(blocks), "block"), counted(std::ssize(kernel.loops), "loop"),
                       counted(kernel.mix.instructions, "instruction")));
  draw_key(svg);
  svg.open_group((width - drawing.width) / 2, head);
  for (std::size_t i = 0; i < blocks.size(); ++i)
    for (std::size_t e = 0; e < own[i].size(); ++e) draw_way(svg, drawing.ways[own[i][e]], kernel.blocks[i].next[e]);
  for (std::size_t i = 0; i < blocks.size(); ++i)
    draw_block(svg, drawing.boxes[i], kernel.blocks[i], blocks[i], drawing, own[i]);
  svg.close_group();
  return std::move(svg).finish();
}

}  // namespace warpclock
