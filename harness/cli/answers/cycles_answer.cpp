#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>
#include <vector>

#include "answer/instructions/instruction_cells.hpp"
#include "base/escape.hpp"
#include "base/text.hpp"
#include "cli/answers/answers.hpp"
#include "code/listing.hpp"
#include "code/semantics.hpp"
#include "record/json/record_json.hpp"
#include "record/record.hpp"
#include "verify/verdict.hpp"

namespace warpclock {
namespace {

bool is_latency(const InstructionRun& run) {
  return run.measure.starts_with("latency") || run.measure.starts_with("iteration");
}

/// Verified, but nothing was there to run it.
bool not_run(const Row& row) { return row.outcome == Outcome::Skipped && row.reason.code == ErrorCode::NotRun; }

/// The encoded distance without what belongs to the instructions that link the copies.
std::optional<double> encoded_alone(const InstructionRun& run) {
  if (!run.encoded_cycles) return std::nullopt;
  double links = 0;
  for (const auto& [opcode, cycles] : run.via) links += cycles;
  return *run.encoded_cycles - links;
}

/// "encoded", "encoded 8, linked by LOP3.LUT: 4 cycles subtracted", or why nothing is.
std::string encoded_in_words(const InstructionRun& run, const std::string& unencoded, bool measured) {
  const auto alone = encoded_alone(run);
  const std::string links = run.via.empty() ? "" : ", " + links_in_words(run.via);
  if (!alone) return unencoded + (measured ? links : "");
  std::string text = "encoded";
  if (!run.via.empty()) text += " " + human_number(*run.encoded_cycles) + links;
  if (measured && run.via.empty()) text += " " + human_number(*alone);
  return text;
}

/// Why nothing is encoded; empty for a run that is no trial.
std::string unencoded_of(const MeasuredInstruction& found, std::size_t run) {
  const auto& trials = found.compiled.trials;
  return run < trials.size() ? trials[run].verdict.unencoded : std::string();
}

/// What one experiment has of a number, and what it rests on.
Fact run_fact(const MeasuredInstruction& found, std::size_t index) {
  const InstructionRun& run = found.record.instruction.runs[index];
  if (!run.verified()) return for_people(run.measure, run.verdict + " " + run.text, Tone::Bad);
  const Estimate* estimate = published(found.record, run.measure);
  std::string note = run.trick.empty() ? "" : ", " + run.trick;
  if (!run.note.empty()) note += ", " + run.note;
  if (run.measure.starts_with("iteration"))
    note += ", a pass of the whole block; the next pass waits for this register";
  if (!is_latency(run)) return for_people(run.measure, "verified; a GPU times it" + note);
  const std::string encoded = encoded_in_words(run, unencoded_of(found, index), estimate != nullptr);
  if (estimate != nullptr)
    return for_people(run.measure,
                      fmt::format("{:.2f} cycles{}  ({}{})", estimate->value, interval_of(*estimate), encoded, note));
  const auto alone = encoded_alone(run);
  return for_people(run.measure, (alone ? human_number(*alone) + " cycles" : "variable") + ", " + encoded + note);
}

Json json_of(const MeasuredInstruction& found, std::size_t index) {
  const InstructionRun& run = found.record.instruction.runs[index];
  Json one = {{"measure", run.measure}, {"verdict", run.verdict}};
  if (!run.text.empty()) one["text"] = run.text;
  if (!run.note.empty()) one["note"] = run.note;
  if (!run.trick.empty()) one["trick"] = run.trick;
  if (const auto alone = encoded_alone(run)) one["encoded_cycles"] = *alone;
  if (const std::string why = unencoded_of(found, index); !why.empty()) one["not_encoded"] = why;
  for (const auto& [opcode, cycles] : run.via) one["subtracted"].push_back({{"opcode", opcode}, {"cycles", cycles}});
  one["sass_hash"] = run.sass_hash;
  return one;
}

/// "sm_90a, encoded", "H200, measured"
std::string by(const CompiledAnswer& answer) {
  const Row& row = answer.found.record;
  if (!answer.gpu.empty()) return fmt::format("{}, {}", answer.gpu, word(row.outcome));
  const bool encoded =
      std::ranges::any_of(row.instruction.runs, [](const auto& run) { return run.verified() && run.encoded_cycles; });
  return fmt::format("{}, {}", row.arch, encoded ? "encoded" : "nothing was run");
}

/// "a b 4, c variable": names by value, the "latency." left out; the value alone if all have the same.
std::string grouped(const std::vector<std::pair<std::string, std::string>>& values) {
  std::vector<std::pair<std::string, std::vector<std::string>>> groups;
  for (const auto& [name, value] : values) find_or_add(groups, value).push_back(name);
  if (groups.size() == 1) return groups.front().first;
  std::vector<std::string> parts;
  for (const auto& [value, names] : groups) parts.push_back(join(names, " ") + " " + value);
  return join(parts, ", ");
}

}  // namespace

std::string links_in_words(const std::vector<std::pair<std::string, double>>& via) {
  std::vector<std::string> opcodes, cycles;
  for (const auto& [opcode, each] : via) opcodes.push_back(opcode), cycles.push_back(human_number(each));
  return fmt::format("linked by {}: {} cycles subtracted", join(opcodes, ", "), join(cycles, " + "));
}

bool is_lacking(const MeasuredInstruction& found) {
  return found.record.outcome == Outcome::Skipped && found.record.reason.code == ErrorCode::UnsupportedArch;
}

bool all_verified(const MeasuredInstruction& found) {
  const Row& row = found.record;
  if (row.outcome != Outcome::Measured && !not_run(row)) return is_lacking(found);
  return std::ranges::all_of(row.instruction.runs, &InstructionRun::verified);
}

std::string headline(const MeasuredInstruction& found) {
  const Row& row = found.record;
  if (is_lacking(found)) return "not an instruction of this architecture";
  if (row.outcome == Outcome::Measured && !row.estimates.empty()) return headline(row);
  if (row.outcome != Outcome::Measured && !not_run(row))
    return fmt::format("{}: {}", word(row.outcome), row.reason.code);
  const bool passes =
      std::ranges::any_of(row.instruction.runs, [](const auto& r) { return r.measure.starts_with("iteration"); });
  std::vector<std::pair<std::string, std::string>> values;
  for (const InstructionRun& run : row.instruction.runs) {
    if (!is_latency(run) || (passes && !run.measure.starts_with("iteration"))) continue;
    const auto alone = encoded_alone(run);
    const std::size_t dot = run.measure.find('.');
    values.emplace_back(run.measure.substr(dot == std::string::npos ? 0 : dot + 1),
                        !run.verified() ? run.verdict
                        : alone         ? human_number(*alone) + " cycles"
                                        : "variable latency");
  }
  if (values.empty()) return "no latency";
  return grouped(values) + (passes ? " a pass" : "");
}

Sheet compiled_sheet(const AskedLine& asked, const CompiledAnswer& answer) {
  const Row& row = answer.found.record;
  Sheet sheet = answer_sheet(asked, headline(answer.found), by(answer));
  add(sheet, ptx_facts(asked, &answer.subject, row));
  const bool refused = row.outcome != Outcome::Measured && !not_run(row);
  sheet.facts.push_back(for_programs("outcome", not_run(row) ? verified_code : word(row.outcome)));
  if (refused)
    sheet.facts.push_back(
        {"reason", row.reason.code, {row.reason.text, {{"code", row.reason.code}, {"text", row.reason.text}}}});
  Json runs = Json::array();
  for (std::size_t i = 0; i < row.instruction.runs.size(); ++i) {
    const bool shown = is_latency(row.instruction.runs[i]) || not_run(row) || !row.instruction.runs[i].verified();
    if (shown) sheet.facts.push_back(run_fact(answer.found, i));
    runs.push_back(json_of(answer.found, i));
  }
  sheet.facts.push_back(for_programs("runs", std::move(runs)));
  if (!row.forms.empty()) add(sheet, number_facts(row));
  add(sheet, row_facts(row, &answer.subject, counted_as(answer.subject.instruction), Audience::All));
  return sheet;
}

std::string windows_text(const MeasuredInstruction& found, const Style& style) {
  const Row& row = found.record;
  std::string text;
  if (!row.forms.empty())
    text = style.dim("  composed copies of the form; with --arch, the windows that ptxas makes are shown") + '\n';
  for (std::size_t i = 0; i < found.compiled.trials.size(); ++i) {
    const Trial& trial = found.compiled.trials[i];
    if (trial.verdict.verdicts.empty()) continue;
    text += fmt::format(
        "\n  {} {}  {}\n{}", style.bold(row.instruction.runs[i].measure), row.arch,
        trial.verdict.verified() ? style.green("verified") : style.red(trial.verdict.code + ": " + trial.verdict.text),
        show_window(trial.shown, trial.verdict.verdicts[trial.which]));
  }
  return text;
}

namespace {

std::string number(double value) { return fmt::format("{:.2f}", value); }

const Estimate* latency_of(const Row& row, int source) { return estimate_in(row, fmt::format("latency.{}", source)); }

/// "4.00 cycles", "A 16.00, B 13.00, C 11.00 cycles", "issue interval 2.00 cycles"
std::string headline_of(const Row& row) {
  if (row.outcome != Outcome::Measured) return "not measured: " + row.reason.code;
  std::vector<std::string> all;
  std::vector<double> values;
  for (const OperandPath& path : row.machine.paths) {
    const Estimate* latency = latency_of(row, path.source);
    if (latency == nullptr) continue;
    values.push_back(latency->value);
    all.push_back(operand_letter(path.source) + " " + number(latency->value));
  }
  if (!all.empty() && std::ranges::count(values, values.front()) == std::ssize(values))
    return number(values.front()) + " cycles";
  if (!all.empty()) return join(all, ", ") + " cycles";
  const Estimate* interval = estimate_in(row, "interval");
  return interval != nullptr ? fmt::format("issue interval {} cycles", number(interval->value)) : "no latency";
}

/// The rows as machine.json has them.
Json rows_json(const std::vector<Row>& rows) {
  return Json::parse(to_json(Record{.file = RecordFile::Machine, .rows = rows})).at("rows");
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
  for (const Row& row : answer.listed) {
    const Estimate* interval = estimate_in(row, "interval");
    table.rows.push_back({row.id, headline_of(row),
                          interval == nullptr ? "" : fmt::format("one every {} cycles", number(interval->value))});
  }
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

std::string latency_in_words(const Row& row, const OperandPath& path, const std::string& from) {
  const Estimate *latency = latency_of(row, path.source),
                 *stall = estimate_in(row, fmt::format("minimum_stall.{}", path.source)),
                 *busy = estimate_in(row, fmt::format("minimum_stall_among_warps.{}", path.source));
  std::string text = latency != nullptr ? number(latency->value) + " cycles" : std::string("-");
  if (!from.empty()) text += " from " + from;
  if (stall != nullptr) text += fmt::format(", minimum stall count {}", stall->value);
  if (busy != nullptr && (stall == nullptr || busy->value > stall->value))
    text += fmt::format(" ({} among other warps)", busy->value);
  if (!path.through.empty()) text += fmt::format(", through {} ({:g} cycles)", path.through, path.through_cycles);
  if (!path.note.empty()) text += fmt::format(" ({})", path.note);
  return text;
}

std::vector<Fact> cell_facts(const Row& row) {
  std::vector<Fact> facts;
  for (const IssueCell& cell : row.machine.cells) {
    if (!row.machine.at_once(cell)) continue;
    std::vector<std::string> curve;
    for (const auto& [n, cycles] : cell.curve) curve.push_back(fmt::format("{}:{:g}", n, cycles));
    facts.push_back(for_people(fmt::format("{:>2} warps", cell.warps),
                               fmt::format("{:>7}  {} {}", number(cell.cycles), join(curve, " "), cell.note)));
  }
  if (std::ranges::all_of(row.machine.cells, [&](const IssueCell& cell) { return row.machine.at_once(cell); }))
    return facts;
  const auto least = std::ranges::min_element(
      row.machine.cells, {}, [](const IssueCell& cell) { return cell.cycles > 0 ? cell.cycles : 1e9; });
  facts.push_back(for_people("stall counts",
                             fmt::format("{} cells over stall counts and yield; the least is {} cycles, of {} warps at "
                                         "stall count {}{}",
                                         row.machine.cells.size(), number(least->cycles), least->warps, least->stall,
                                         least->yield ? " with yield" : "")));
  return facts;
}

}  // namespace

bool MachineAnswer::answered() const {
  return !listed.empty() || !nature.empty() || (row.has_value() && row->outcome == Outcome::Measured);
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
  const Row& row = *answer.row;
  Sheet sheet = answer_sheet(answer.asked, headline_of(row), answer.by);
  if (!answer.of.empty())
    sheet.facts.push_back(
        {"answered_by",
         "answered by",
         {fmt::format("{}  ({})", answer.of, answer.because), {{"sass", answer.of}, {"because", answer.because}}}});
  const bool near = !answer.form.empty();
  sheet.facts.push_back({"form", "", near ? Cell(answer.form) : Cell::for_people(row.id)});
  if (near) sheet.facts.push_back(for_people("answered by", row.id + "  (a near form)"));
  if (!row.reason.code.empty()) sheet.facts.push_back(for_people(row.reason.code, row.reason.text));
  if (!answer.differs.empty()) sheet.facts.push_back(listed("differs", "", answer.differs));
  const std::vector<std::string> sources = sources_of(answer.of.empty() ? answer.asked.code : answer.of);
  if (!sources.empty()) sheet.facts.push_back(for_programs("sources", sources));
  for (const OperandPath& path : row.machine.paths) {
    const auto source = static_cast<std::size_t>(path.source);
    sheet.facts.push_back(for_people("latency " + operand_letter(path.source),
                                     latency_in_words(row, path, source < sources.size() ? sources[source] : "")));
  }
  if (const Estimate* encoded = estimate_in(row, "encoded"))
    sheet.facts.push_back(
        for_people("encoded", fmt::format("ptxas leaves {} cycles or more before the result is read", encoded->value)));
  if (const Estimate* interval = estimate_in(row, "interval"))
    sheet.facts.push_back(
        for_people("issue interval", fmt::format("one warp instruction every {} cycles per sub-partition ({})",
                                                 number(interval->value), interval->note)));
  add(sheet, cell_facts(row));
  sheet.facts.push_back({"from", "row", answer.from});
  sheet.facts.push_back(for_programs("row", rows_json({row}).at(0)));
  return sheet;
}

}  // namespace warpclock
