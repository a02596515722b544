#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "answer/instructions/instruction_cells.hpp"
#include "answer/numbers/figures.hpp"
#include "base/escape.hpp"
#include "base/lookup.hpp"
#include "base/text.hpp"
#include "cli/answers/answers.hpp"
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

std::string interval(const Estimate& estimate) {
  return estimate.high - estimate.low < 0.05 ? "" : fmt::format("  [{:.2f}, {:.2f}]", estimate.low, estimate.high);
}

std::string row_text(std::string_view name, std::string_view text) { return fmt::format("  {:<16} {}\n", name, text); }

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
std::string run_text(const MeasuredInstruction& found, std::size_t index, const Style& style) {
  const InstructionRun& run = found.record.runs[index];
  if (!run.verified()) return row_text(run.measure, style.red(run.verdict) + " " + run.text);
  const Estimate* estimate = published(found.record, run.measure);
  std::string note = run.trick.empty() ? "" : ", " + run.trick;
  if (!run.note.empty()) note += ", " + run.note;
  if (run.measure.starts_with("iteration"))
    note += ", a pass of the whole block; the next pass waits for this register";
  if (!is_latency(run)) return row_text(run.measure, style.dim("verified; a GPU times it" + note));
  const std::string encoded = encoded_in_words(run, unencoded_of(found, index), estimate != nullptr);
  if (estimate != nullptr) {
    return row_text(run.measure, fmt::format("{} cycles{}  {}", style.bold(fmt::format("{:.2f}", estimate->value)),
                                             interval(*estimate), style.dim("(" + encoded + note + ")")));
  }
  const auto alone = encoded_alone(run);
  const std::string value = alone ? human_number(*alone) + " cycles" : std::string("variable");
  return row_text(run.measure, value + style.dim(", " + encoded + note));
}

/// Why a source of a single instruction has no experiment: by the name that the experiment would have.
std::vector<std::pair<std::string, std::string>> not_measured(const PtxInstruction& instruction,
                                                              const InstructionRecord& row) {
  std::vector<std::pair<std::string, std::string>> all;
  if (instruction.is_block() || (row.runs.empty() && row.forms.empty()) || !instruction.asked.empty()) return all;
  const auto is_result = [](const Operand& one) { return one.written && one.immediate.empty() && !one.address; };
  if (std::ranges::none_of(instruction.operands, is_result))
    return {{"latency", "none: it has no result register"}};
  if (std::ranges::none_of(instruction.operands, [](const auto& one) { return one.read && one.immediate.empty(); }))
    return {{"latency", "none: it reads no register that another copy could write"}};
  for (const Operand& operand : instruction.operands) {
    const std::string name = "latency." + operand.name;
    const bool source = operand.read && operand.immediate.empty();
    const bool asked = std::ranges::any_of(row.runs, [&](const auto& run) { return run.measure == name; });
    if (!source || asked || published(row, name) != nullptr) continue;
    all.emplace_back(name, operand.address ? "not measured: only loads are chained through an address"
                                           : "not measured: no result is chained through this operand");
  }
  return all;
}

std::string windows_text(const MeasuredInstruction& found, const Style& style) {
  const InstructionRecord& row = found.record;
  std::string text;
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

std::string form_text(const AskedLine& asked, const Subject& subject, const Style& style) {
  std::string text;
  if (subject.instruction.is_block()) {
    for (const std::string& line : lines(subject.ptx)) text += row_text("ptx", style.dim(line));
  } else if (trim(asked.text) != subject.ptx) {
    text += row_text("ptx", style.dim(subject.ptx));
  }
  for (const MadeConstant& one : subject.constants)
    text += row_text("constant", style.dim(fmt::format("{} became the constant {}", one.given, one.constant)));
  return text;
}

std::string not_measured_text(const PtxInstruction& instruction, const InstructionRecord& row, const Style& style) {
  std::string text;
  for (const auto& [name, why] : not_measured(instruction, row)) text += row_text(name, style.dim(why));
  return text;
}

nlohmann::ordered_json not_measured_json(const PtxInstruction& instruction, const InstructionRecord& row) {
  nlohmann::ordered_json out = nlohmann::ordered_json::object();
  for (const auto& [name, why] : not_measured(instruction, row)) out[name] = why;
  return out;
}

std::string compiled_text(const AskedLine& asked, const CompiledAnswer& answer, bool show, const Style& style) {
  const InstructionRecord& row = answer.found.record;
  std::string text = fmt::format("{}: {} ({})\n", title_of(asked), style.bold(headline(answer.found)), by(answer));
  text += form_text(asked, answer.subject, style);
  if (row.outcome != Outcome::Measured && !not_run(row) && !row.reason.text.empty())
    text += row_text(row.reason.code, row.reason.text);
  for (std::size_t i = 0; i < row.runs.size(); ++i) {
    const bool shown = is_latency(row.runs[i]) || not_run(row) || !row.runs[i].verified();
    if (shown) text += run_text(answer.found, i, style);
  }
  if (!row.forms.empty()) text += numbers_text(row);
  text += not_measured_text(answer.subject.instruction, row, style);
  text += rates_text(row, counted_as(answer.subject.instruction), style);
  if (!row.became.empty())
    text += row_text("machine code", one_line(fmt::format("{}: {}", row.arch, opcode_groups(row.became, "x")), 200));
  text += forms_text(row);
  for (const std::string& label : labels_of(row)) text += row_text("note", style.yellow(label));
  if (!row.pipes.empty()) text += row_text("pipe", join(row.pipes, ", "));
  if (row.clock.sm_mhz > 0) text += row_text("SM clock", clock_text(sm_clock(row.clock)) + " MHz");
  for (const std::string& finding : row.findings) text += row_text("finding", style.yellow(finding));
  if (show && !row.forms.empty())
    text += row_text("window", style.dim("composed copies of the form; with --arch, those that ptxas makes are shown"));
  return show ? text + windows_text(answer.found, style) : text;
}

nlohmann::ordered_json json_of(const Estimate& e) {
  return {{"name", e.name}, {"value", e.value},   {"low", e.low}, {"high", e.high},
          {"unit", e.unit}, {"method", e.method}, {"n", e.n},     {"note", e.note}};
}

nlohmann::ordered_json asked_json(const AskedLine& asked) {
  nlohmann::ordered_json out = {{"asked", asked.text}};
  if (asked.number > 0) out["line"] = asked.number;
  return out;
}

nlohmann::ordered_json refused_json(const AskedLine& asked, const Error& error) {
  nlohmann::ordered_json out = asked_json(asked);
  out["outcome"] = "refused";
  out["error"] = {{"code", error.code}, {"place", error.place}, {"text", error.text}};
  return out;
}

nlohmann::ordered_json constants_json(const Subject& subject) {
  nlohmann::ordered_json out = nlohmann::ordered_json::array();
  for (const MadeConstant& one : subject.constants) out.push_back({{"given", one.given}, {"constant", one.constant}});
  return out;
}

nlohmann::ordered_json compiled_json(const AskedLine& asked, const CompiledAnswer& answer) {
  const InstructionRecord& row = answer.found.record;
  nlohmann::ordered_json out = asked_json(asked);
  out["answer"] = headline(answer.found);
  out["by"] = by(answer);
  out["ptx"] = row.ptx;
  out["arch"] = row.arch;
  out["outcome"] = not_run(row) ? verified_code : word(row.outcome);
  if (row.outcome != Outcome::Measured && !not_run(row))
    out["reason"] = {{"code", row.reason.code}, {"text", row.reason.text}};
  out["became"] = row.became;
  if (!row.forms.empty()) out["forms"] = row.forms;
  out["labels"] = labels_of(row);
  out["pipes"] = row.pipes;
  out["constants"] = constants_json(answer.subject);
  out["runs"] = nlohmann::ordered_json::array();
  for (std::size_t i = 0; i < row.runs.size(); ++i) {
    const InstructionRun& run = row.runs[i];
    const std::string unencoded = unencoded_of(answer.found, i);
    nlohmann::ordered_json one = {{"measure", run.measure}, {"verdict", run.verdict}};
    if (!run.text.empty()) one["text"] = run.text;
    if (!run.note.empty()) one["note"] = run.note;
    if (!run.trick.empty()) one["trick"] = run.trick;
    if (const auto alone = encoded_alone(run)) one["encoded_cycles"] = *alone;
    if (!unencoded.empty()) one["not_encoded"] = unencoded;
    for (const auto& [opcode, cycles] : run.via) one["subtracted"].push_back({{"opcode", opcode}, {"cycles", cycles}});
    one["sass_hash"] = run.sass_hash;
    out["runs"].push_back(std::move(one));
  }
  out["not_measured"] = not_measured_json(answer.subject.instruction, row);
  out["estimates"] = nlohmann::ordered_json::array();
  for (const Estimate& e : row.estimates) out["estimates"].push_back(json_of(e));
  out["findings"] = row.findings;
  if (row.clock.sm_mhz > 0) out["sm_mhz"] = row.clock.sm_mhz;
  return out;
}

}  // namespace warpclock
