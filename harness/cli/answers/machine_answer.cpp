#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <string_view>
#include <vector>

#include "answer/instructions/machine_parts.hpp"
#include "base/escape.hpp"
#include "base/text.hpp"
#include "cli/answers/answer_facts.hpp"
#include "code/listing.hpp"
#include "code/semantics.hpp"
#include "record/json/record_json.hpp"

namespace warpclock {
namespace {

std::string number(double value) { return fmt::format("{:.2f}", value); }

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

/// The rows as machine.json has them.
Json rows_json(const std::vector<MachineRow>& rows) {
  MachineTable table;
  table.rows = rows;
  return Json::parse(to_json(table)).at("rows");
}

/// A line for each row: its form, its latencies and its issue interval.
Sheet listed_sheet(const MachineAnswer& answer) {
  const std::string title = counted(std::ssize(answer.listed), "machine instruction");
  Sheet sheet{.facts = asked_sheet(answer.asked, title).facts};
  add(sheet, {for_programs("by", answer.by), for_programs("from", answer.from),
              for_programs("rows", rows_json(answer.listed))});
  Table table{.key = "listed",
              .title = fmt::format("{}: {} ({})", title_of(answer.asked), title, answer.by),
              .columns = columns({"form", "answer", "interval"}),
              .headed = false,
              .audience = Audience::People};
  for (const MachineRow& row : answer.listed)
    table.rows.push_back({row.key, headline_of(row),
                          row.interval ? fmt::format("one every {} cycles", number(row.interval->value)) : ""});
  if (!answer.from.empty()) table.notes = {"rows of  " + answer.from};
  sheet.tables = {std::move(table)};
  return sheet;
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

std::vector<Fact> cell_facts(const MachineRow& row) {
  std::vector<Fact> facts;
  for (const IssueCell& cell : row.cells) {
    if (cell.stall != 1 || cell.yield) continue;
    std::vector<std::string> curve;
    for (const auto& [n, cycles] : cell.curve) curve.push_back(fmt::format("{}:{:g}", n, cycles));
    facts.push_back(for_people(fmt::format("{:>2} warps", cell.warps),
                               fmt::format("{:>7}  {} {}", number(cell.cycles), join(curve, " "), cell.note)));
  }
  if (std::ranges::all_of(row.cells, [](const IssueCell& cell) { return cell.stall == 1; })) return facts;
  const auto least = std::ranges::min_element(
      row.cells, {}, [](const IssueCell& cell) { return cell.cycles > 0 ? cell.cycles : 1e9; });
  facts.push_back(for_people("stall counts",
                             fmt::format("{} cells over stall counts and yield; the least is {} cycles, of {} warps at "
                                         "stall count {}{}",
                                         row.cells.size(), number(least->cycles), least->warps, least->stall,
                                         least->yield ? " with yield" : "")));
  return facts;
}

}  // namespace

bool MachineAnswer::answered() const {
  return !listed.empty() || !nature.empty() || (row.has_value() && has_numbers(*row));
}

Sheet refused_sheet(const AskedLine& asked, const Error& error, const std::string& how) {
  Sheet sheet = asked_sheet(asked, fmt::format("{} ({})", how, printable(error.message())));
  add(sheet, {for_programs("outcome", "refused"),
              for_programs("error", {{"code", error.code}, {"place", error.place}, {"text", error.text}})});
  return sheet;
}

Sheet nature_sheet(const AskedLine& asked, const std::string& nature) {
  Sheet sheet = asked_sheet(asked, "no number (" + nature + ")");
  sheet.facts.push_back(for_programs("answer", "no number: " + nature));
  return sheet;
}

Sheet machine_sheet(const MachineAnswer& answer) {
  if (!answer.listed.empty()) return listed_sheet(answer);
  if (!answer.nature.empty()) return nature_sheet(answer.asked, answer.nature);
  if (!answer.row) return refused_sheet(answer.asked, answer.row.error(), "no row");
  const MachineRow& row = *answer.row;
  Sheet sheet = answer_sheet(answer.asked, headline_of(row), answer.by);
  if (!answer.of.empty())
    sheet.facts.push_back(
        {"answered_by",
         "answered by",
         {fmt::format("{}  ({})", answer.of, answer.because), {{"sass", answer.of}, {"because", answer.because}}}});
  const bool near = !answer.form.empty();
  sheet.facts.push_back({"form", "", near ? Cell(answer.form) : Cell::for_people(row.key)});
  if (near) sheet.facts.push_back(for_people("answered by", row.key + "  (a near form)"));
  if (row.reason) sheet.facts.push_back(for_people(row.reason->code, row.reason->text));
  if (!answer.differs.empty()) sheet.facts.push_back(listed("differs", "", answer.differs));
  const std::vector<std::string> sources = sources_of(answer.of.empty() ? answer.asked.code : answer.of);
  if (!sources.empty()) sheet.facts.push_back(for_programs("sources", sources));
  for (const DependencyLatency& latency : row.latencies) {
    const auto source = static_cast<std::size_t>(latency.source);
    sheet.facts.push_back(for_people("latency " + operand_letter(latency.source),
                                     latency_in_words(latency, source < sources.size() ? sources[source] : "")));
  }
  if (row.encoded)
    sheet.facts.push_back(
        for_people("encoded", fmt::format("ptxas leaves {} cycles or more before the result is read", *row.encoded)));
  if (row.interval)
    sheet.facts.push_back(
        for_people("issue interval", fmt::format("one warp instruction every {} cycles per sub-partition ({})",
                                                 number(row.interval->value), row.interval->note)));
  add(sheet, cell_facts(row));
  sheet.facts.push_back({"from", "row", answer.from});
  sheet.facts.push_back(for_programs("row", rows_json({row}).at(0)));
  return sheet;
}

}  // namespace warpclock
