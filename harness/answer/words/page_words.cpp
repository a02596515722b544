#include "answer/words/page_words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <initializer_list>
#include <map>
#include <ranges>
#include <set>
#include <string_view>

#include "answer/instructions/instruction_cells.hpp"
#include "answer/numbers/figures.hpp"
#include "base/terminal.hpp"
#include "base/text.hpp"
#include "check/case_row.hpp"
#include "inspect/flow_graph.hpp"
#include "inspect/inspection_output.hpp"
#include "plan/sweep.hpp"
#include "predict/prediction_output.hpp"
#include "predict/program/costs.hpp"
#include "predict/simulation/simulate.hpp"
#include "record/record.hpp"

namespace warpclock {
namespace {

/// Without what is empty.
Json object(const std::vector<std::pair<const char*, Json>>& members) {
  Json out = Json::object();
  for (const auto& [name, value] : members)
    if (!value.empty() && !(value.is_string() && value.get_ref<const std::string&>().empty())) out[name] = value;
  return out;
}

Json guide_words(const GuideComparison& guide) {
  if (guide.title.empty()) return {};
  Json lines = Json::array();
  for (const GuideRowLines& row : guide_rows(guide)) {
    std::string name = row.name, note = guide_note(row);
    for (const GuideLine* line : row.lines) {
      const GuideCells cells = guide_cells(*line);
      lines.push_back({name, line->operation, line->id, cells.documented, cells.measured, cells.interval, cells.ratio,
                       cells.verdict, note});
      name.clear(), note.clear();
    }
  }
  return {{"title", guide.title}, {"summary", guide_summary(guide)}, {"lines", lines}};
}

}  // namespace

Json instruction_words(const Record& table, const Record& first) {
  std::map<std::string_view, const Row*> of_first;
  for (const Row& row : first.rows) of_first.emplace(row.id, &row);
  Json rows = Json::array(), counts = Json::array();
  for (const Row& row : table.rows) {
    const auto products = multiply_adds(row);
    std::string opcodes = opcode_groups(row.instruction.became, "\xC3\x97");
    for (const std::string& label : labels_of(row))
      if (label.starts_with("alternates ")) opcodes += ", " + label;
    const auto before = of_first.find(row.id);
    const std::string apart =
        before == of_first.end() ? "" : other_code_in_words({table, row}, {first, *before->second});
    rows.push_back(object({{"latency", latency_groups(row)},
                           {"opcodes", opcodes},
                           {"labels", labels_of(row)},
                           {"window", rate_window(row)},
                           {"other_code", apart},
                           {"products", products ? human_number(*products, 4) : ""}}));
  }
  for (const Outcome outcome : outcomes) {
    const auto count = std::ranges::count(table.rows, outcome, &Row::outcome);
    if (worth_telling(outcome, count)) counts.push_back({word(outcome), count});
  }
  return object(
      {{"name", name_of(table.device)}, {"rows", rows}, {"counts", counts}, {"guide", guide_words(table.guide)}});
}

Json machine_words(const Record& table) {
  Json rows = Json::array(), counts = Json::array();
  for (const Row& row : rows_of(table, RowKind::Form))
    rows.push_back(object({{"latency", machine_latencies(row)}, {"interval", issue_interval_text(row)}}));
  const MachineCounts all = count_rows(table);
  counts.push_back({"measured", all.measured});
  for (const auto& [code, count] : all.without) counts.push_back({code, count, "rejected"});
  return object({{"rows", rows}, {"counts", counts}});
}

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

namespace {

Json issue_words(const TimelineIssue& issue) {
  Json out = {{"warp", issue.warp},
              {"cycle", issue.cycle},
              {"at", address_text(issue.address)},
              {"instruction", issue.instruction},
              {"pipe", issue.pipe},
              {"busy", issue.busy},
              {"why", issue.why}};
  if (!issue.paths.empty()) out["paths"] = issue.paths;
  return out;
}

}  // namespace

Json prediction_words(const std::vector<Prediction>& predictions) {
  Json kernels = Json::array();
  for (const Prediction& one : predictions) {
    Sheet sheet = prediction_sheet(one);
    sheet.title.clear();
    Json bounds = Json::array(), timeline = Json::array();
    for (const LowerBound& bound : one.bounds) bounds.push_back({{"name", bound.name}, {"share", bound.share}});
    for (const TimelineIssue& issue : one.timeline) timeline.push_back(issue_words(issue));
    Json kernel = {{"name", one.readable},
                   {"limiter", one.limiter},
                   {"bounds", bounds},
                   {"timeline", timeline},
                   {"text", to_text(sheet, Style(false))}};
    if (!one.waits.empty()) {
      const InstructionWait& wait = one.waits.front();
      kernel["wait"] = {{"at", address_text(wait.address)},
                        {"opcode", wait.text.substr(0, wait.text.find(' '))},
                        {"cycles", wait.cycles},
                        {"why", wait.why}};
    }
    kernels.push_back(std::move(kernel));
  }
  return {{"kernels", kernels}, {"waits", wait_names}, {"sub_partitions", static_cast<int>(sub_partitions)}};
}

namespace {

/// As many digits as a page can show: half of a page is digits otherwise.
double rounded(double value, double steps) { return std::round(value * steps) / steps; }
Json tenths(std::initializer_list<double> values) {
  constexpr double steps = 10;
  Json out = Json::array();
  for (const double value : values) out.push_back(rounded(value, steps));
  return out;
}

/// The two that are used most.
Json shares_of(const std::vector<ResourceShare>& shares) {
  constexpr double steps = 10000;
  Json out = Json::array();
  for (const ResourceShare& one : shares | std::views::take(2))
    out.push_back({{"name", one.name}, {"share", rounded(one.share, steps)}});
  return out;
}

Json row_words(const Row& row) {
  const KernelPart& kernel = row.kernel;
  Json out = {{"study", row.probe},
              {"point", row.parameters.empty() ? "" : to_string(row.parameters)},
              {"bounds", shares_of(kernel.prediction.bounds)}};
  if (!kernel.says.empty()) out["says"] = kernel.says;
  if (kernel.held_out) out["held_out"] = true;
  if (const Estimate* predicted = estimate_in(row, "predicted"))
    out["predicted"] = tenths({predicted->low, predicted->high});
  else
    out["refused"] = kernel.prediction.refused;
  if (row.outcome != Outcome::Measured)
    out["reason"] = {{"outcome", word(row.outcome)}, {"code", row.reason.code}, {"text", row.reason.text}};
  if (const Estimate* cycles = estimate_in(row, "cycles"))
    out["measured"] = {{"by", cycles->method},
                       {"cycles", tenths({cycles->value, cycles->low, cycles->high})},
                       {"limiter", kernel.limiter},
                       {"shares", shares_of(kernel.shares)}};
  if (const auto error = error_of(row)) out["error"] = {rounded(error->low, 100), rounded(error->high, 100)};
  if (const auto agrees = limiter_agrees(row)) out["agrees"] = *agrees;
  if (!library_text(row).empty()) out["library"] = library_text(row);
  return out;
}

}  // namespace

std::string kernel_title(const Record& table) {
  std::set<std::string> studies;
  for (const Row& row : table.rows) studies.insert(row.probe);
  const bool measured =
      std::ranges::any_of(table.rows, [](const Row& row) { return estimate_in(row, "cycles") != nullptr; });
  return (studies.size() == 1 ? "Kernels of the study \"" + *studies.begin() + "\"" : "Kernels") +
         (measured ? ", predicted and measured on " : ", predicted for ") + name_of(table.device);
}

Json kernel_words(const Record& table) {
  Json rows = Json::array();
  for (const Row& row : table.rows) rows.push_back(row_words(row));
  return {{"rows", rows}, {"errors", error_lines(table.rows)}};
}

}  // namespace warpclock
