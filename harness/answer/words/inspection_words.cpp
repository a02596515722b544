#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "answer/words/file_words.hpp"
#include "inspect/graph/graph.hpp"
#include "inspect/inspection_output.hpp"

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

Json facts_of(const Table& table) {
  Json rows = Json::array();
  for (const auto& row : table.rows) rows.push_back({row[0].text, row[1].text});
  return {{"title", table.title}, {"facts", std::move(rows)}};
}

}  // namespace

Json inspection_words(const Inspection& inspection) {
  Json kernels = Json::array();
  for (const KernelInspection& kernel : inspection.kernels) {
    const Marked marks = marked(kernel);
    Json tables = Json::array(), listing = Json::array();
    for (const Table& table : kernel_tables(kernel)) tables.push_back(facts_of(table));
    for (std::size_t i = 0; i < kernel.loops.size(); ++i)
      tables[i + 1].update({{"depth", kernel.loops[i].depth}, {"begin", address_text(kernel.loops[i].begin)}});
    for (const ListedInstruction& each : kernel.listing) listing.push_back(listed(kernel, each, marks));
    kernels.push_back({{"name", kernel.readable}, {"tables", std::move(tables)}, {"listing", std::move(listing)}});
    if (const auto graph = graph_svg(kernel)) kernels.back()["graph"] = *graph;
  }
  return {{"kernels", kernels}};
}

}  // namespace warpclock
