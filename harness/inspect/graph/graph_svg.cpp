#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "base/drawing.hpp"
#include "base/text.hpp"
#include "inspect/graph/graph.hpp"
#include "inspect/inspection_output.hpp"

namespace warpclock {
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
