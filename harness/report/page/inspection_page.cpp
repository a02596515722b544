#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "inspect/inspection_output.hpp"
#include "report/page/file_pages.hpp"
#include "report/page/page.hpp"

namespace warpclock {
namespace {

/// Addresses of a listing that are marked.
struct Marked {
  std::set<std::int64_t> chain, spills;
};

Marked marked(const KernelInspection& kernel) {
  Marked marks;
  marks.spills.insert(kernel.spills.addresses.begin(), kernel.spills.addresses.end());
  for (const LoopFacts& loop : kernel.loops) {
    if (!loop.carried) continue;
    for (const ChainLink& link : loop.carried->chain) marks.chain.insert(link.address);
  }
  return marks;
}

Json listed(const KernelInspection& kernel, const ListedInstruction& each, const Marked& marks) {
  constexpr int most_shades = 4;
  const int depth = each.loop ? kernel.loops[static_cast<std::size_t>(*each.loop)].depth : 0;
  std::string css = fmt::format("d{}", std::min(depth, most_shades));
  if (marks.chain.contains(each.address)) css += " chain";
  if (marks.spills.contains(each.address)) css += " spill";
  Json row = {
      {"at", address_text(each.address)}, {"text", each.text}, {"stall", std::to_string(each.stall)}, {"css", css}};
  if (each.loop) row["loop"] = std::to_string(*each.loop);
  if (each.yield) row["yield"] = "yes";
  if (each.write >= 0) row["write"] = std::to_string(each.write);
  if (each.read >= 0) row["read"] = std::to_string(each.read);
  if (!each.wait.empty()) row["wait"] = each.wait;
  if (each.live > 0) row["live"] = std::to_string(each.live);
  if (each.target) row["target"] = address_text(*each.target);
  if (each.line > 0)
    row["source"] = fmt::format("{}:{}", std::filesystem::path(each.file).filename().string(), each.line);
  return row;
}

Json pairs_of(const std::vector<FactLine>& facts) {
  Json out = Json::array();
  for (const auto& [name, text] : facts) out.push_back({name, text});
  return out;
}

Json loop_words(const LoopFacts& loop) {
  Json out = {{"id", loop.id},
              {"depth", loop.depth},
              {"begin", address_text(loop.begin)},
              {"end", address_text(loop.end)},
              {"where", lines_text(loop.lines)},
              {"facts", pairs_of(facts_of_loop(loop))}};
  if (loop.parent) out["parent"] = *loop.parent;
  return out;
}

}  // namespace

Json inspection_words(const Inspection& inspection) {
  Json kernels = Json::array();
  for (const KernelInspection& kernel : inspection.kernels) {
    const Marked marks = marked(kernel);
    Json loops = Json::array(), listing = Json::array(), occupancy = Json::array();
    for (const LoopFacts& loop : kernel.loops) loops.push_back(loop_words(loop));
    for (const ListedInstruction& each : kernel.listing) listing.push_back(listed(kernel, each, marks));
    for (const Occupancy& each : kernel.occupancy) occupancy.push_back(occupancy_text(each));
    kernels.push_back({{"name", kernel.readable},
                       {"needs", needs_text(kernel)},
                       {"spills", spills_text(kernel.spills)},
                       {"live", live_text(kernel)},
                       {"outside", pairs_of(facts_of_mix(kernel.outside))},
                       {"occupancy", occupancy},
                       {"loops", loops},
                       {"listing", listing}});
  }
  return {{"kernels", kernels}};
}

std::string render_inspection(const Inspection& inspection) {
  Page page;
  page.kind = "inspect";
  page.title = inspection.file;
  page.lead = fmt::format(
      "{}, {}, {}", inspection.kind, inspection.arch,
      inspection.latencies.empty() ? "latencies as ptxas encodes them" : "latencies of " + inspection.latencies);
  page.extras = inspection_words(inspection);
  return render_page(page);
}

}  // namespace warpclock
