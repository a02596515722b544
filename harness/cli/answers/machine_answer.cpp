#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <string_view>
#include <vector>

#include "answer/instructions/machine_parts.hpp"
#include "base/escape.hpp"
#include "base/text.hpp"
#include "cli/answers/answers.hpp"
#include "code/listing.hpp"
#include "code/semantics.hpp"
#include "record/json/record_json.hpp"

namespace warpclock {
namespace {

std::string number(double value) { return fmt::format("{:.2f}", value); }

std::string row_line(std::string_view name, std::string_view text) { return fmt::format("  {:<16} {}\n", name, text); }

/// "4.00 cycles", "A 16.00, B 13.00, C 11.00 cycles", "issue interval 2.00 cycles"
std::string headline_of(const MachineRow& row) {
  if (row.reason) return "not measured: " + row.reason->code;
  std::vector<std::string> all;
  std::optional<double> first;
  bool same = true;
  for (const DependencyLatency& latency : row.latencies) {
    if (!latency.cycles) continue;
    if (!first) first = latency.cycles->value;
    all.push_back(operand_letter(latency.source) + " " + number(latency.cycles->value));
    same = same && latency.cycles->value == *first;
  }
  if (first && same) return number(*first) + " cycles";
  if (first) return join(all, ", ") + " cycles";
  return row.interval ? fmt::format("issue interval {} cycles", number(row.interval->value)) : "no latency";
}

/// A line for each row: its form, its latencies and its issue interval.
std::string listed_text(const MachineAnswer& answer, const Style& style) {
  std::string text = fmt::format("{}: {} ({})\n", title_of(answer.asked),
                                 style.bold(counted(std::ssize(answer.listed), "machine instruction")), answer.by);
  std::size_t width = 0;
  for (const MachineRow& row : answer.listed) width = std::max(width, row.key.size());
  for (const MachineRow& row : answer.listed) {
    text += fmt::format("  {:<{}}  {:<28} {}\n", row.key, width, headline_of(row),
                        row.interval ? fmt::format("one every {} cycles", number(row.interval->value)) : "");
  }
  return answer.from.empty() ? text : text + row_line("rows of", style.dim(answer.from));
}

/// The source operands of a machine instruction as it is written; none of a form or an opcode.
std::vector<std::string> sources_of(const std::string& code) {
  const auto instruction = code.contains('#') ? std::nullopt : parse_instruction(code);
  if (!instruction) return {};
  const std::size_t sources = std::min(effects_of(*instruction).sources.size(), instruction->operands.size());
  std::vector<std::string> names(instruction->operands.end() - static_cast<std::ptrdiff_t>(sources),
                                 instruction->operands.end());
  for (std::string& name : names) name = replace_all(name, ".reuse", "");
  return names;
}

std::string latency_in_words(const DependencyLatency& latency, const std::string& from) {
  std::string text = latency.cycles ? number(latency.cycles->value) + " cycles" : std::string("-");
  if (!from.empty()) text += " from " + from;
  if (latency.least_right) text += fmt::format(", minimum stall count {}", *latency.least_right);
  if (latency.busy_least_right > latency.least_right)
    text += fmt::format(" ({} among other warps)", *latency.busy_least_right);
  if (!latency.through.empty())
    text += fmt::format(", through {} ({:g} cycles)", latency.through, latency.through_cycles);
  if (!latency.note.empty()) text += fmt::format(" ({})", latency.note);
  return text;
}

std::string cells_text(const MachineRow& row, const Style& style) {
  std::string text;
  for (const IssueCell& cell : row.cells) {
    if (cell.stall != 1 || cell.yield) continue;
    std::vector<std::string> curve;
    for (const auto& [n, cycles] : cell.curve) curve.push_back(fmt::format("{}:{:g}", n, cycles));
    text += row_line(fmt::format("{:>2} warps", cell.warps),
                     style.dim(fmt::format("{:>7}  {} {}", number(cell.cycles), join(curve, " "), cell.note)));
  }
  if (std::ranges::all_of(row.cells, [](const IssueCell& cell) { return cell.stall == 1; })) return text;
  const auto least = std::ranges::min_element(
      row.cells, {}, [](const IssueCell& cell) { return cell.cycles > 0 ? cell.cycles : 1e9; });
  return text + row_line("stall counts",
                         fmt::format("{} cells over stall counts and yield; the least is {} cycles, of {} warps at "
                                     "stall count {}{}",
                                     row.cells.size(), number(least->cycles), least->warps, least->stall,
                                     least->yield ? " with yield" : ""));
}

}  // namespace

bool MachineAnswer::answered() const {
  return !listed.empty() || !nature.empty() || (row.has_value() && has_numbers(*row));
}

std::string machine_text(const MachineAnswer& answer, const Style& style) {
  if (!answer.listed.empty()) return listed_text(answer, style);
  const std::string title = title_of(answer.asked);
  if (!answer.nature.empty()) return fmt::format("{}: {} ({})\n", title, style.bold("no number"), answer.nature);
  if (!answer.row)
    return fmt::format("{}: {} ({})\n", title, style.red("no row"), printable(answer.row.error().message()));
  const MachineRow& row = *answer.row;
  std::string text = fmt::format("{}: {} ({})\n", title, style.bold(headline_of(row)), answer.by);
  if (!answer.of.empty()) text += row_line("answered by", fmt::format("{}  ({})", answer.of, answer.because));
  text += row_line("form", answer.form.empty() ? row.key : answer.form);
  if (!answer.form.empty()) text += row_line("answered by", row.key + "  (a near form)");
  if (row.reason) text += row_line(row.reason->code, row.reason->text);
  for (const std::string& one : answer.differs) text += row_line("differs", one);
  const std::vector<std::string> sources = sources_of(answer.of.empty() ? answer.asked.code : answer.of);
  for (const DependencyLatency& latency : row.latencies) {
    const auto source = static_cast<std::size_t>(latency.source);
    const std::string from = source < sources.size() ? sources[source] : "";
    text += row_line("latency " + operand_letter(latency.source), latency_in_words(latency, from));
  }
  if (row.encoded)
    text += row_line("encoded", fmt::format("ptxas leaves {} cycles or more before the result is read", *row.encoded));
  if (row.interval) {
    text += row_line("issue interval", fmt::format("one warp instruction every {} cycles per sub-partition ({})",
                                                   number(row.interval->value), row.interval->note));
  }
  text += cells_text(row, style);
  return answer.from.empty() ? text : text + row_line("row", style.dim(answer.from));
}

nlohmann::ordered_json machine_json(const MachineAnswer& answer) {
  if (!answer.nature.empty()) {
    nlohmann::ordered_json out = asked_json(answer.asked);
    out["answer"] = "no number: " + answer.nature;
    return out;
  }
  if (!answer.row && answer.listed.empty()) return refused_json(answer.asked, answer.row.error());
  nlohmann::ordered_json out = asked_json(answer.asked);
  MachineTable alone;
  if (!answer.listed.empty()) {
    alone.rows = answer.listed;
    out["by"] = answer.by;
    out["from"] = answer.from;
    out["rows"] = nlohmann::ordered_json::parse(to_json(alone)).at("rows");
    return out;
  }
  out["answer"] = headline_of(*answer.row);
  out["by"] = answer.by;
  if (!answer.from.empty()) out["from"] = answer.from;
  if (!answer.of.empty()) out["answered_by"] = {{"sass", answer.of}, {"because", answer.because}};
  if (!answer.form.empty()) out["form"] = answer.form;
  if (!answer.differs.empty()) out["differs"] = answer.differs;
  if (const auto sources = sources_of(answer.of.empty() ? answer.asked.code : answer.of); !sources.empty())
    out["sources"] = sources;
  alone.rows = {*answer.row};
  out["row"] = nlohmann::ordered_json::parse(to_json(alone)).at("rows").at(0);
  return out;
}

}  // namespace warpclock
