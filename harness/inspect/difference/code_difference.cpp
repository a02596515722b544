#include "inspect/difference/code_difference.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "base/escape.hpp"
#include "base/text.hpp"
#include "fields/form_table.hpp"
#include "gpu/job/statistics.hpp"
#include "inspect/inspection_output.hpp"

namespace warpclock {

namespace {

CodeDifference difference_of(const Instruction& a, const Instruction& b) {
  const Word first{a.low, a.high}, second{b.low, b.high};
  if (first == second) return CodeDifference::Same;
  if (with_control(first, {}) == with_control(second, {})) return CodeDifference::Control;
  return a.name() == b.name() ? CodeDifference::Operands : CodeDifference::Instructions;
}

std::string scoreboard_text(std::string_view name, int scoreboard) {
  return scoreboard < 0 ? std::string() : fmt::format(", {} {}", name, scoreboard);
}

/// "S2R R5, SR_TID.X [stall 7, write 0]"; empty past the end.
std::string line_of(const KernelInspection& kernel, std::size_t at) {
  if (at >= kernel.listing.size()) return {};
  const ListedInstruction& each = kernel.listing[at];
  return fmt::format("{} [stall {}{}{}{}{}]", each.text, each.stall, each.yield ? ", yield" : "",
                     scoreboard_text("write", each.write), scoreboard_text("read", each.read),
                     each.wait.empty() ? "" : ", wait " + each.wait);
}

const Listing& listing_of(const LoadedFile& file, const KernelInspection& kernel) {
  return std::ranges::find(file.kernels, kernel.name,
                           [](const LoadedKernel& each) -> const std::string& { return each.listing.kernel; })
      ->listing;
}

KernelDifference compared(const CodeComparison& all, const LoadedFile& first, const LoadedFile& second,
                          std::size_t before, std::size_t after) {
  KernelDifference out{.before = before, .after = after};
  const auto &a = listing_of(first, all.before.kernels[before]).instructions,
             &b = listing_of(second, all.after.kernels[after]).instructions;
  for (std::size_t i = 0; i < std::max(a.size(), b.size()); ++i) {
    const bool both = i < a.size() && i < b.size();
    const CodeDifference here = both ? difference_of(a[i], b[i]) : CodeDifference::Instructions;
    if (here == CodeDifference::Same) continue;
    ++out.differing;
    if (here <= out.difference) continue;
    out.difference = here;
    const auto address = static_cast<std::int64_t>(i < a.size() ? a[i].address : b[i].address);
    out.first = {address, line_of(all.before.kernels[before], i), line_of(all.after.kernels[after], i)};
  }
  return out;
}

/// Pairs what has the same key, if one kernel of each has it, and takes the pairs out of both lists.
template <class Key>
std::vector<std::pair<std::size_t, std::size_t>> paired(const CodeComparison& all, std::vector<std::size_t>& before,
                                                        std::vector<std::size_t>& after, const Key& key) {
  std::map<std::string, std::pair<std::vector<std::size_t>, std::vector<std::size_t>>> by_key;
  for (const std::size_t i : before) by_key[key(all.before.kernels[i])].first.push_back(i);
  for (const std::size_t i : after) by_key[key(all.after.kernels[i])].second.push_back(i);
  std::vector<std::pair<std::size_t, std::size_t>> pairs;
  for (const auto& [name, both] : by_key) {
    if (both.first.size() != 1 || both.second.size() != 1) continue;
    pairs.emplace_back(both.first.front(), both.second.front());
    std::erase(before, both.first.front());
    std::erase(after, both.second.front());
  }
  return pairs;
}

std::vector<std::size_t> all_of(const Inspection& inspection) {
  std::vector<std::size_t> indices(inspection.kernels.size());
  for (std::size_t i = 0; i < indices.size(); ++i) indices[i] = i;
  return indices;
}

}  // namespace

std::string bare_name(const std::string& readable) {
  std::string name = replace_all(readable, "(anonymous namespace)::", "");
  name = name.substr(0, name.find_first_of("<("));
  return name.substr(name.rfind(' ') + 1);
}

Expected<CodeComparison> compare_code(const ComparedFile& before, const ComparedFile& after,
                                      const InspectOptions& options) {
  CodeComparison all;
  all.before = WARPCLOCK_TRY(inspect(before.name, before.file, options));
  all.after = WARPCLOCK_TRY(inspect(after.name, after.file, options));
  std::vector<std::size_t> first = all_of(all.before), second = all_of(all.after);
  auto pairs = paired(all, first, second, [](const KernelInspection& each) { return each.name; });
  auto near = paired(all, first, second, [](const KernelInspection& each) { return bare_name(each.readable); });
  pairs.insert(pairs.end(), near.begin(), near.end());
  if (!options.kernel.empty() && all.before.kernels.size() == 1 && all.after.kernels.size() == 1) {
    const auto only = paired(all, first, second, [](const KernelInspection&) { return std::string(); });
    pairs.insert(pairs.end(), only.begin(), only.end());
  }
  std::ranges::sort(pairs);
  for (const auto& [a, b] : pairs) all.kernels.push_back(compared(all, before.file, after.file, a, b));
  for (const std::size_t i : first) all.kernels.push_back({.before = i, .difference = CodeDifference::OnlyBefore});
  for (const std::size_t i : second) all.kernels.push_back({.after = i, .difference = CodeDifference::OnlyAfter});
  return all;
}

bool all_same(const CodeComparison& comparison) {
  return std::ranges::all_of(comparison.kernels,
                             [](const KernelDifference& each) { return each.difference == CodeDifference::Same; });
}

namespace {

/// Facts and what they are, in the order in which they are shown.
using Facts = std::vector<std::pair<std::string, Json>>;

void add_mix(Facts& facts, const Mix& mix) {
  facts.emplace_back("instructions", mix.instructions);
  facts.emplace_back("waits for scoreboards", mix.waits);
  facts.emplace_back("predicated instructions", mix.predicated);
  facts.emplace_back("uniform instructions", mix.uniform);
  facts.emplace_back("conditional jumps", mix.branches);
  facts.emplace_back("instructions with two source registers in one bank", mix.banks.two);
  facts.emplace_back("instructions with three source registers in one bank", mix.banks.three);
}

Facts needs_of(const KernelInspection& kernel) {
  Facts facts = {{"registers", kernel.registers},
                 {"most live registers", kernel.most_live},
                 {"spilling stores", kernel.spills.stores},
                 {"spilling loads", kernel.spills.loads},
                 {"spilled bytes stored", kernel.spills.store_bytes},
                 {"spilled bytes loaded", kernel.spills.load_bytes},
                 {"spills in loops", kernel.spills.in_loops},
                 {"stack bytes", kernel.stack_bytes},
                 {"shared memory bytes", kernel.shared_bytes},
                 {"barriers", kernel.barriers},
                 {"parameter bytes", kernel.parameter_bytes}};
  for (const Occupancy& each : kernel.occupancy)
    facts.emplace_back(fmt::format("blocks of {} threads per SM", each.threads), each.blocks);
  add_mix(facts, kernel.mix);
  int cycles = 0;
  for (const BlockFacts& block : kernel.blocks) cycles += block.issue_cycles;
  facts.emplace_back("issue cycles, each instruction once", cycles);
  facts.emplace_back("loops", kernel.loops.size());
  return facts;
}

Facts facts_of(const LoopFacts& loop) {
  Facts facts = {{"issue cycles of a trip", loop.issue_cycles}};
  if (loop.least_issue_cycles != loop.issue_cycles)
    facts.emplace_back("issue cycles of each trip at least", loop.least_issue_cycles);
  if (loop.carried) {
    const double chain = loop.carried->cycles;
    facts.emplace_back("cycles of the carried chain", chain);
    facts.emplace_back("limit of one warp", chain > loop.least_issue_cycles ? "carried chain" : "issue");
  }
  if (loop.trip) facts.emplace_back("cycles of the longest chain in a trip", loop.trip->cycles);
  add_mix(facts, loop.mix);
  for (const PipeCount& each : loop.mix.pipes) facts.emplace_back("on pipe " + each.pipe, each.instructions);
  return facts;
}

/// What differs of the two, in the order of `before`, then what only `after` has.
void add_changes(std::vector<Change>& out, const std::string& subject, const Facts& before, const Facts& after) {
  const auto find = [](const Facts& facts, const std::string& fact) -> Json {
    const auto at = std::ranges::find(facts, fact, &Facts::value_type::first);
    return at == facts.end() ? Json() : at->second;
  };
  for (const auto& [fact, value] : before)
    if (const Json other = find(after, fact); other != value) out.push_back({subject, fact, value, other});
  for (const auto& [fact, value] : after)
    if (find(before, fact).is_null()) out.push_back({subject, fact, nullptr, value});
}

using Counts = std::map<std::string, int>;

/// Counts that differ, the largest difference first; what one build lacks counts 0.
void add_counts(std::vector<Change>& out, const std::string& subject, const Counts& before, const Counts& after) {
  std::map<std::string, std::pair<int, int>> both;
  for (const auto& [name, count] : before) both[name].first = count;
  for (const auto& [name, count] : after) both[name].second = count;
  std::vector<std::pair<std::string, std::pair<int, int>>> differing;
  for (const auto& each : both)
    if (each.second.first != each.second.second) differing.push_back(each);
  std::ranges::stable_sort(differing, std::ranges::greater{},
                           [](const auto& each) { return std::abs(each.second.second - each.second.first); });
  for (const auto& [name, counts] : differing) out.push_back({subject, name, counts.first, counts.second});
}

Counts pipes_of(const KernelInspection& kernel) {
  Counts counts;
  for (const PipeCount& each : kernel.mix.pipes) counts[each.pipe] = each.instructions;
  return counts;
}

/// How many of the instructions that are reached have each name; those without a name do not count.
template <class Name>
Counts counts_by(const KernelInspection& kernel, const Name& name) {
  Counts counts;
  for (const BlockFacts& block : kernel.blocks)
    for (auto at = static_cast<std::size_t>(block.begin) / word_bytes;
         at < static_cast<std::size_t>(block.end) / word_bytes; ++at)
      if (const std::string is = name(kernel.listing[at]); !is.empty()) ++counts[is];
  return counts;
}

std::string opcode_of(const ListedInstruction& each) { return name_in(each.text); }

std::string source_line_of(const ListedInstruction& each) {
  return each.line > 0 ? lines_text({{each.file, each.line, each.line}}) : std::string();
}

using LoopPair = std::pair<const LoopFacts*, const LoopFacts*>;

std::vector<LoopPair> paired_loops(const KernelInspection& before, const KernelInspection& after) {
  std::vector<LoopPair> pairs;
  const auto same = [](const LoopFacts& a, const LoopFacts& b) { return a.depth == b.depth; };
  if (std::ranges::equal(before.loops, after.loops, same)) {
    for (std::size_t i = 0; i < before.loops.size(); ++i) pairs.emplace_back(&before.loops[i], &after.loops[i]);
    return pairs;
  }
  const auto alike = [](const LoopFacts& a, const std::vector<LoopFacts>& loops) {
    std::vector<const LoopFacts*> found;
    for (const LoopFacts& each : loops)
      if (!a.lines.empty() && each.lines == a.lines && each.depth == a.depth) found.push_back(&each);
    return found;
  };
  std::set<const LoopFacts*> used;
  for (const LoopFacts& each : before.loops) {
    const auto found = alike(each, after.loops);
    const bool one = found.size() == 1 && alike(each, before.loops).size() == 1;
    pairs.emplace_back(&each, one ? found.front() : nullptr);
    if (one) used.insert(found.front());
  }
  for (const LoopFacts& each : after.loops)
    if (!used.contains(&each)) pairs.emplace_back(nullptr, &each);
  return pairs;
}

/// "loop 0 (gemm.cu:12-30)"; with both numbers if they differ.
std::string name_of(const LoopPair& pair) {
  const LoopFacts& loop = pair.first != nullptr ? *pair.first : *pair.second;
  std::string name = fmt::format("loop {}", loop.id);
  if (pair.first != nullptr && pair.second != nullptr && pair.second->id != loop.id)
    name += fmt::format(" and {}", pair.second->id);
  const std::string lines = lines_text(loop.lines);
  return lines.empty() ? name : name + " (" + lines + ")";
}

}  // namespace

std::vector<Change> changes_of(const KernelInspection& before, const KernelInspection& after) {
  std::vector<Change> out;
  add_changes(out, "kernel", needs_of(before), needs_of(after));
  for (const LoopPair& pair : paired_loops(before, after))
    add_changes(out, name_of(pair), pair.first != nullptr ? facts_of(*pair.first) : Facts(),
                pair.second != nullptr ? facts_of(*pair.second) : Facts());
  add_counts(out, "pipe", pipes_of(before), pipes_of(after));
  add_counts(out, "opcode", counts_by(before, opcode_of), counts_by(after, opcode_of));
  const Counts lines = counts_by(before, source_line_of), others = counts_by(after, source_line_of);
  if (!lines.empty() && !others.empty()) add_counts(out, "line", lines, others);
  return out;
}

namespace {

Cell times(const std::vector<double>& ms) {
  const auto sorted = sorted_finite(ms);
  if (sorted.empty()) return {};
  return {fmt::format("{} ms ({} to {})", human_number(median(sorted)), human_number(sorted.front()),
                      human_number(sorted.back())),
          Json(ms)};
}

}  // namespace

bool all_same(const JitComparison& comparison) {
  return std::ranges::all_of(comparison.targets,
                             [](const JitTarget& each) { return each.refused.empty() && all_same(each.code); });
}

Sheet jit_sheet(const JitComparison& comparison) {
  Sheet sheet;
  sheet.facts = {{"file", "", comparison.file},
                 {"gpu", "", comparison.gpu},
                 {"driver", "", comparison.driver},
                 {"ptxas", "", comparison.ptxas}};
  Table targets{
      .key = "targets",
      .title = "PTX",
      .columns = columns({"target|for", "ptxas_arch|ptxas", "driver_arch|driver", "ptxas_ms|start of ptxas",
                          "jit_ms|assembled and loaded by the driver", "load_ms|its cubin loaded", "refused"})};
  for (const JitTarget& each : comparison.targets)
    targets.rows.push_back({each.target, each.ptxas_arch, each.driver_arch, times(each.ptxas_ms), times(each.jit_ms),
                            times(each.load_ms), each.refused});
  sheet.tables.push_back(std::move(targets));
  for (const JitTarget& each : comparison.targets)
    if (each.refused.empty()) add_tables(sheet, each.code, {"ptxas", "driver"}, each.target);
  return sheet;
}

namespace {

/// Of opcodes and of lines; programs get all.
constexpr int most_shown = 12;

std::string word_of(CodeDifference difference, const BuildNames& names) {
  switch (difference) {
    case CodeDifference::Same:
      return "same";
    case CodeDifference::Control:
      return "control";
    case CodeDifference::Operands:
      return "operands";
    case CodeDifference::Instructions:
      return "instructions";
    case CodeDifference::OnlyBefore:
      return "only-" + names.before;
    case CodeDifference::OnlyAfter:
      return "only-" + names.after;
  }
  return {};
}

std::string verdict_of(const KernelDifference& kernel, const BuildNames& names) {
  switch (kernel.difference) {
    case CodeDifference::Same:
      return "same machine code";
    case CodeDifference::Control:
      return "only control fields differ, in " + counted(kernel.differing, "instruction");
    case CodeDifference::Operands:
      return "same opcodes, other operands in " + counted(kernel.differing, "instruction");
    case CodeDifference::Instructions:
      return "other instructions, from " + address_text(kernel.first->address) + " on";
    case CodeDifference::OnlyBefore:
      return "only " + names.before + " has it";
    case CodeDifference::OnlyAfter:
      return "only " + names.after + " has it";
  }
  return {};
}

Cell cell(const Json& value) {
  if (value.is_null()) return {};
  return {value.is_string() ? value.get<std::string>() : human_number(value.get<double>(), 4), value};
}

std::string change_text(const Change& change) {
  if (change.before.is_null() || change.after.is_null()) return change.before.is_null() ? "new" : "gone";
  if (change.before.is_string()) return {};
  const double by = change.after.get<double>() - change.before.get<double>();
  return (by > 0 ? "+" : "") + human_number(by, 4);
}

Table change_table(const BuildNames& names, Audience audience) {
  return {
      .key = "changes",
      .columns = columns({"-target", "-kernel", "subject", "fact", "#" + names.before, "#" + names.after, "+#change"}),
      .headed = false,
      .audience = audience};
}

/// What differs of a kernel: for people its first instruction too, and of the opcodes and the lines the first ones.
void add_changes(Sheet& sheet, const KernelDifference& difference, const CodeComparison& all, const BuildNames& names,
                 const std::string& target) {
  const KernelInspection &before = all.before.kernels[*difference.before],
                         &after = all.after.kernels[*difference.after];
  Table shown = change_table(names, Audience::All), rest = change_table(names, Audience::Programs);
  shown.title = fmt::format("{}: {}", before.readable, verdict_of(difference, names));
  std::map<std::string, int> seen;
  for (const Change& change : changes_of(before, after)) {
    const bool many = ++seen[change.subject] > most_shown && (change.subject == "opcode" || change.subject == "line");
    (many ? rest : shown)
        .rows.push_back({target, before.name, change.subject, change.fact, cell(change.before), cell(change.after),
                         change_text(change)});
  }
  for (const auto& [subject, count] : seen)
    if (count > most_shown && (subject == "opcode" || subject == "line"))
      shown.notes.push_back(fmt::format("and {}", counted(count - most_shown, "more " + subject)));
  const std::size_t width = std::max(names.before.size(), names.after.size());
  if (difference.first)
    for (const auto& [name, text] :
         {std::pair(names.before, difference.first->before), std::pair(names.after, difference.first->after)})
      shown.notes.push_back(fmt::format("{}  {:<{}}  {}", address_text(difference.first->address), name, width,
                                        text.empty() ? "-" : text));
  sheet.tables.push_back(std::move(shown));
  if (!rest.rows.empty()) sheet.tables.push_back(std::move(rest));
}

std::string about(const Inspection& inspection) {
  return fmt::format("{}: {}, {}", printable(inspection.file), inspection.kind, inspection.arch);
}

}  // namespace

void add_tables(Sheet& sheet, const CodeComparison& comparison, const BuildNames& names, const std::string& target) {
  Table differing{.key = "kernels",
                  .title = target.empty() ? "kernels" : "PTX for " + target,
                  .columns = columns({"-target", "-kernel", "-other", "readable", "-difference", "+verdict",
                                      "-differing", "-address", "-" + names.before, "-" + names.after}),
                  .headed = false};
  Table same = differing;
  same.audience = Audience::Programs;
  for (const KernelDifference& each : comparison.kernels) {
    const KernelInspection* before = each.before ? &comparison.before.kernels[*each.before] : nullptr;
    const KernelInspection* after = each.after ? &comparison.after.kernels[*each.after] : nullptr;
    const KernelInspection& kernel = before != nullptr ? *before : *after;
    const bool renamed = before != nullptr && after != nullptr && before->name != after->name;
    const DifferingInstruction first = each.first.value_or(DifferingInstruction{});
    Table& to = each.difference == CodeDifference::Same && !renamed ? same : differing;
    to.rows.push_back({target, kernel.name, renamed ? after->name : "",
                       kernel.readable + (renamed ? ", then " + after->readable : ""), word_of(each.difference, names),
                       verdict_of(each, names), Cell("", each.differing),
                       Cell("", each.first ? Json(first.address) : Json()), first.before, first.after});
  }
  if (!same.rows.empty())
    differing.notes.push_back(counted(std::ssize(same.rows), "kernel") + " with the same machine code");
  sheet.tables.push_back(std::move(differing));
  if (!same.rows.empty()) sheet.tables.push_back(std::move(same));
  for (const KernelDifference& each : comparison.kernels)
    if (each.difference != CodeDifference::Same && each.before && each.after)
      add_changes(sheet, each, comparison, names, target);
}

Sheet difference_sheet(const CodeComparison& comparison) {
  Sheet sheet;
  sheet.facts = {{"before", "", {about(comparison.before), comparison.before.file}},
                 {"after", "", {about(comparison.after), comparison.after.file}},
                 {"latencies", "", comparison.before.latencies}};
  add_tables(sheet, comparison, {}, {});
  return sheet;
}

}  // namespace warpclock
