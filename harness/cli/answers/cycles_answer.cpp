#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "answer/instructions/instruction_cells.hpp"
#include "base/lookup.hpp"
#include "base/text.hpp"
#include "cli/answers/answer_facts.hpp"
#include "record/outcome.hpp"
#include "verify/wording.hpp"

namespace warpclock {
namespace {

bool is_latency(const InstructionRun& run) {
  return run.measure.starts_with("latency") || run.measure.starts_with("iteration");
}

/// Verified, but nothing was there to run it.
bool not_run(const InstructionRecord& row) {
  return row.outcome == Outcome::Skipped && row.reason.code == ErrorCode::NotRun;
}

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
  const InstructionRun& run = found.record.runs[index];
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
  const InstructionRun& run = found.record.runs[index];
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
  const InstructionRecord& row = answer.found.record;
  if (!answer.gpu.empty()) return fmt::format("{}, {}", answer.gpu, word(row.outcome));
  const bool encoded =
      std::ranges::any_of(row.runs, [](const auto& run) { return run.verified() && run.encoded_cycles; });
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
  const InstructionRecord& row = found.record;
  if (row.outcome != Outcome::Measured && !not_run(row)) return is_lacking(found);
  return std::ranges::all_of(row.runs, &InstructionRun::verified);
}

std::string headline(const MeasuredInstruction& found) {
  const InstructionRecord& row = found.record;
  if (is_lacking(found)) return "not an instruction of this architecture";
  if (row.outcome == Outcome::Measured && !row.estimates.empty()) return headline(row);
  if (row.outcome != Outcome::Measured && !not_run(row))
    return fmt::format("{}: {}", word(row.outcome), row.reason.code);
  const bool passes = std::ranges::any_of(row.runs, [](const auto& r) { return r.measure.starts_with("iteration"); });
  std::vector<std::pair<std::string, std::string>> values;
  for (const InstructionRun& run : row.runs) {
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
  const InstructionRecord& row = answer.found.record;
  Sheet sheet = answer_sheet(asked, headline(answer.found), by(answer));
  add(sheet, ptx_facts(asked, &answer.subject, row));
  const bool refused = row.outcome != Outcome::Measured && !not_run(row);
  sheet.facts.push_back(for_programs("outcome", not_run(row) ? verified_code : word(row.outcome)));
  if (refused)
    sheet.facts.push_back(
        {"reason", row.reason.code, {row.reason.text, {{"code", row.reason.code}, {"text", row.reason.text}}}});
  Json runs = Json::array();
  for (std::size_t i = 0; i < row.runs.size(); ++i) {
    const bool shown = is_latency(row.runs[i]) || not_run(row) || !row.runs[i].verified();
    if (shown) sheet.facts.push_back(run_fact(answer.found, i));
    runs.push_back(json_of(answer.found, i));
  }
  sheet.facts.push_back(for_programs("runs", std::move(runs)));
  if (!row.forms.empty()) add(sheet, number_facts(row));
  add(sheet, row_facts(row, &answer.subject, counted_as(answer.subject.instruction), Audience::All));
  return sheet;
}

std::string windows_text(const MeasuredInstruction& found, const Style& style) {
  const InstructionRecord& row = found.record;
  std::string text;
  if (!row.forms.empty())
    text = style.dim("  composed copies of the form; with --arch, the windows that ptxas makes are shown") + '\n';
  for (std::size_t i = 0; i < found.compiled.trials.size(); ++i) {
    const Trial& trial = found.compiled.trials[i];
    if (trial.verdict.verdicts.empty()) continue;
    text += fmt::format(
        "\n  {} {}  {}\n{}", style.bold(row.runs[i].measure), row.arch,
        trial.verdict.verified() ? style.green("verified") : style.red(trial.verdict.code + ": " + trial.verdict.text),
        show_window(trial.shown, trial.verdict.verdicts[trial.which]));
  }
  return text;
}

}  // namespace warpclock
