#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <string_view>

#include "base/escape.hpp"
#include "base/files/embedded.hpp"
#include "inspect/inspection_output.hpp"
#include "report/html/html.hpp"
#include "report/html/html_page.hpp"
#include "report/html/html_parts.hpp"

namespace warpclock {
namespace {

/// Ids of a kernel's elements: the kernel's number, then an address.
std::string row_id(std::size_t kernel, std::int64_t address) { return fmt::format("k{}-{:x}", kernel, address); }

std::string cell(std::string_view css, const std::string& text) { return element("td", css, text); }

std::string number(int scoreboard) { return scoreboard < 0 ? std::string() : std::to_string(scoreboard); }

/// What rows of a listing are marked by.
struct Marked {
  std::set<std::int64_t> chain, spills;
  bool lines = false;
};

Marked marked(const KernelInspection& kernel) {
  Marked marks;
  marks.spills.insert(kernel.spills.addresses.begin(), kernel.spills.addresses.end());
  for (const LoopFacts& loop : kernel.loops) {
    if (!loop.carried) continue;
    for (const ChainLink& link : loop.carried->chain) marks.chain.insert(link.address);
  }
  marks.lines = std::ranges::any_of(kernel.listing, [](const ListedInstruction& each) { return each.line > 0; });
  return marks;
}

std::string source_text(const ListedInstruction& each) {
  if (each.line == 0) return {};
  return fmt::format("{}:{}", std::filesystem::path(each.file).filename().string(), each.line);
}

/// The text with its opcode in bold, and a link to what it jumps to.
std::string instruction_text(const ListedInstruction& each, std::size_t kernel) {
  const std::size_t guard = each.text.starts_with('@') ? each.text.find(' ') : std::string::npos;
  const std::size_t blank = std::min(each.text.find(' ', guard == std::string::npos ? 0 : guard + 1), each.text.size());
  const std::string rest = each.text.substr(blank), target = each.target ? address_text(*each.target) : "";
  const std::string out = element("b", "", each.text.substr(0, blank));
  const std::size_t at = target.empty() ? std::string::npos : rest.find(target);
  if (at == std::string::npos) return out + escape(rest);
  return out + escape(rest.substr(0, at)) +
         fmt::format("<a href=\"#{}\">{}</a>", row_id(kernel, *each.target), target) +
         escape(rest.substr(at + target.size()));
}

std::string listing_row(const KernelInspection& kernel, std::size_t index, const ListedInstruction& each,
                        const Marked& marks) {
  constexpr int most_shades = 4;
  const int depth = each.loop ? kernel.loops[static_cast<std::size_t>(*each.loop)].depth : 0;
  std::string css = fmt::format("d{}", std::min(depth, most_shades));
  if (marks.chain.contains(each.address)) css += " chain";
  if (marks.spills.contains(each.address)) css += " spill";
  return fmt::format("<tr id=\"{}\" class=\"{}\">{}{}{}{}{}{}{}<td class=\"word\">{}</td>{}</tr>\n",
                     row_id(index, each.address), css, cell("at", address_text(each.address)),
                     cell("loop", each.loop ? std::to_string(*each.loop) : ""), cell("num", std::to_string(each.stall)),
                     cell("num", each.yield ? "yes" : ""), cell("num", number(each.write)),
                     cell("num", number(each.read)), cell("num", each.wait), instruction_text(each, index),
                     marks.lines ? cell("from", source_text(each)) : "");
}

std::string listing(const KernelInspection& kernel, std::size_t index) {
  const Marked marks = marked(kernel);
  std::string rows;
  for (const ListedInstruction& each : kernel.listing) rows += listing_row(kernel, index, each, marks);
  return fmt::format(
      "<div class=\"listed\" tabindex=\"0\"><table class=\"listing\"><thead><tr><th>address</th><th>loop</th>"
      "<th title=\"stall count: cycles until the warp's next instruction may issue\">stall</th><th>yield</th>"
      "<th title=\"scoreboard that is released when the result is there\">W</th>"
      "<th title=\"scoreboard that is released when the sources are read\">R</th>"
      "<th title=\"scoreboards that must be clear before it issues\">wait</th><th>SASS</th>{}</tr></thead><tbody>\n{}"
      "</tbody></table></div>",
      marks.lines ? "<th>source</th>" : "", rows);
}

std::string loop_card(const LoopFacts& loop, std::size_t kernel) {
  std::string facts;
  for (const auto& [name, text] : facts_of_loop(loop)) facts += element("dt", "", name) + element("dd", "", text);
  const std::string where = lines_text(loop.lines);
  return fmt::format(
      "<article class=\"card d{}\"><h3><a href=\"#{}\">loop {}</a>{}</h3><p>{} to {}{}</p><dl>{}</dl></article>\n",
      std::min(loop.depth, 4), row_id(kernel, loop.begin), loop.id,
      loop.parent ? fmt::format(" in {}", *loop.parent) : "", address_text(loop.begin), address_text(loop.end),
      where.empty() ? "" : ", " + escape(where), facts);
}

std::string kernel_section(const KernelInspection& kernel, std::size_t index) {
  std::string facts = element("p", "", needs_text(kernel));
  if (const std::string spills = spills_text(kernel.spills); !spills.empty()) facts += element("p", "spilled", spills);
  std::string blocks;
  for (const Occupancy& each : kernel.occupancy) blocks += element("li", "", occupancy_text(each));
  if (!blocks.empty()) facts += "<p>Blocks per SM:</p><ul class=\"blocks\">" + blocks + "</ul>";
  std::string loops;
  for (const LoopFacts& loop : kernel.loops) loops += loop_card(loop, index);
  return fmt::format("<section id=\"k{}\"><h2>{}</h2>{}<div class=\"loops\">{}</div>{}</section>\n", index,
                     escape(kernel.readable), facts, loops, listing(kernel, index));
}

constexpr std::string_view legend =
    "<p class=\"marks-key\"><span class=\"d1\">loop</span> <span class=\"d2\">inner loop</span> "
    "<span class=\"chain\">on the chain that carries a result from trip to trip</span> "
    "<span class=\"spill\">spill</span></p>";

}  // namespace

std::string render_inspection(const Inspection& inspection) {
  const auto assets = embedded_assets();
  std::string links, sections;
  for (std::size_t i = 0; i < inspection.kernels.size(); ++i) {
    links += fmt::format("<li><a href=\"#k{}\">{}</a></li>", i, escape(inspection.kernels[i].readable));
    sections += kernel_section(inspection.kernels[i], i);
  }
  const std::string whose =
      inspection.latencies.empty() ? "latencies as ptxas encodes them" : "latencies of " + inspection.latencies;
  return ascii_markup("<!DOCTYPE html>\n<html lang=\"en\">" +
                      html_head(inspection.file, assets.at("report.css") + assets.at("inspect.css"), {}) +
                      "<body class=\"inspect\"><main><h1>" + escape(inspection.file) + "</h1>" +
                      element("p", "", fmt::format("{}, {}, {}", inspection.kind, inspection.arch, whose)) +
                      "<ul class=\"kernels\">" + links + "</ul>" + std::string(legend) + sections +
                      "</main></body></html>\n");
}

}  // namespace warpclock
