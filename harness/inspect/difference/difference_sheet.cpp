#include "inspect/difference/difference_sheet.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/escape.hpp"
#include "base/text.hpp"
#include "gpu/job/statistics.hpp"
#include "inspect/inspection_output.hpp"

namespace warpclock {
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
