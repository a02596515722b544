#include "cli/answers/cycles_answer.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "base/text.hpp"
#include "record/outcome.hpp"
#include "report/instructions/instruction_cells.hpp"
#include "verify/show.hpp"

namespace warpclock {
namespace {

std::string shortened(const std::vector<std::string>& opcodes) {
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < opcodes.size();) {
    std::size_t same = 1;
    while (i + same < opcodes.size() && opcodes[i + same] == opcodes[i]) ++same;
    parts.push_back(same == 1 ? opcodes[i] : fmt::format("{} x {}", same, opcodes[i]));
    i += same;
  }
  constexpr std::size_t most = 12;
  const std::size_t left = parts.size() > most ? parts.size() - most : 0;
  parts.resize(parts.size() - left);
  return join(parts, "  ") + (left ? fmt::format("  ... {} more", left) : "");
}

std::string interval(const Estimate& estimate) {
  return estimate.high - estimate.low < 0.05 ? "" : fmt::format("  [{:.2f}, {:.2f}]", estimate.low, estimate.high);
}

/// "4.00  (encoded 4)" for each trial; if nothing ran on the architecture, only the encoded distance.
void print_runs(const MeasuredInstruction& found, const Style& style) {
  const InstructionRecord& row = found.record;
  for (std::size_t i = 0; i < row.runs.size(); ++i) {
    const InstructionRun& run = row.runs[i];
    const bool iteration = run.measure.starts_with("iteration");
    const bool latency = iteration || run.measure.starts_with("latency");
    if (!latency && (row.outcome != Outcome::Skipped || !run.verified())) continue;
    double links = 0;
    for (const auto& [opcode, cycles] : run.via) links += cycles;
    const std::string encoded = run.encoded_cycles ? fmt::format("encoded {:.4g}", *run.encoded_cycles - links)
                                : latency          ? found.compiled.trials[i].verdict.unencoded
                                                   : std::string("verified; it takes a GPU to time it");
    const Estimate* estimate = published(row, run.measure);
    std::string note = run.trick.empty() ? "" : ", " + run.trick;
    for (const auto& [opcode, cycles] : run.via) note += fmt::format(", less {:g} for {}", cycles, opcode);
    if (!run.note.empty()) note += ", " + run.note;
    if (iteration) note += ", a pass of the whole block, behind which the next waits for this register";
    if (!run.verified()) {
      fmt::print("    {:<16} {} {}\n", run.measure, style.red(run.verdict), run.text);
    } else if (estimate) {
      fmt::print("    {:<16} {} cycles{}  {}\n", run.measure, style.bold(fmt::format("{:.2f}", estimate->value)),
                 interval(*estimate), style.dim("(" + encoded + note + ")"));
    } else {
      fmt::print("    {:<16} {}\n", run.measure, style.dim(encoded + note));
    }
  }
}

void print_rates(const InstructionRecord& row, bool block, const Style& style) {
  const Estimate* rate = published(row, "throughput");
  if (!rate) return;
  fmt::print("    {:<16} {} {}/clk/SM{}  {}\n", "throughput", style.bold(fmt::format("{:.1f}", rate->value)),
             block ? "threads' blocks" : "results", interval(*rate), style.dim(rate->note));
  if (const Estimate* interval = published(row, "interval")) {
    fmt::print("    {:<16} {:.2f} cycles a warp instruction and scheduler\n", "interval", interval->value);
  }
  if (const Estimate* issue = published(row, "issue")) {
    fmt::print("    {:<16} {:.2f} cycles between independent instructions of one warp\n", "issue", issue->value);
  }
}

std::string on_one_line(std::string_view text) {
  std::string line(text);
  std::ranges::replace_if(
      line, [](unsigned char c) { return c < ' ' || c == 0x7f; }, ' ');
  return line;
}

}  // namespace

void print_answer(const MeasuredInstruction& found, const PtxInstruction& instruction, bool show, const Style& style) {
  const InstructionRecord& row = found.record;
  fmt::print("  {}  {}", style.bold(row.arch), shortened(row.became));
  if (!row.labels.empty()) fmt::print("  {}", style.yellow("(" + join(row.labels, "; ") + ")"));
  fmt::print("\n");
  const bool unmeasured = row.outcome == Outcome::Skipped && row.reason.code == ErrorCode::NotRun;
  if (row.outcome != Outcome::Measured && !unmeasured) {
    fmt::print("    {} {}\n", style.red(row.reason.code), row.reason.text);
  }
  print_runs(found, style);
  print_rates(row, instruction.is_block(), style);
  if (!row.pipes.empty()) fmt::print("    {:<16} {}\n", "pipe", join(row.pipes, ", "));
  if (row.clock.sm_mhz > 0) fmt::print("    {:<16} {:.0f} MHz\n", "SM clock", row.clock.sm_mhz);
  for (const std::string& finding : row.findings) fmt::print("    {} {}\n", style.yellow("finding"), finding);
  if (!show) return;
  for (std::size_t i = 0; i < row.runs.size(); ++i) {
    const Trial& trial = found.compiled.trials[i];
    if (trial.verdict.verdicts.empty()) continue;
    fmt::print(
        "\n  {} {}  {}\n", style.bold(row.runs[i].measure), row.arch,
        trial.verdict.verified() ? style.green("verified") : style.red(trial.verdict.code + ": " + trial.verdict.text));
    fmt::print("{}", show_window(trial.shown, trial.verdict.verdicts[trial.which]));
  }
}

void print_asked(const Subject& subject, const Style& style) {
  fmt::print("{}\n", style.bold(subject.ptx));
  if (!subject.instruction.is_block() && trim(subject.line) != subject.ptx) {
    fmt::print("  {}\n", style.dim("asked as " + on_one_line(trim(subject.line))));
  }
  for (const MadeConstant& one : subject.constants) {
    fmt::print("  {}\n", style.dim(fmt::format("{} became the constant {}", one.given, one.constant)));
  }
}

nlohmann::ordered_json json_of(const Estimate& e) {
  return {{"name", e.name}, {"value", e.value},   {"low", e.low}, {"high", e.high},
          {"unit", e.unit}, {"method", e.method}, {"n", e.n},     {"note", e.note}};
}

nlohmann::ordered_json json_of(const Subject& subject, const MeasuredInstruction& found) {
  const InstructionRecord& row = found.record;
  nlohmann::ordered_json out = {
      {"ptx", row.ptx},       {"line", subject.line}, {"arch", row.arch},  {"outcome", word(row.outcome)},
      {"became", row.became}, {"labels", row.labels}, {"pipes", row.pipes}};
  for (const MadeConstant& one : subject.constants) {
    out["constants"].push_back({{"given", one.given}, {"constant", one.constant}});
  }
  if (row.outcome != Outcome::Measured) out["reason"] = {{"code", row.reason.code}, {"text", row.reason.text}};
  out["runs"] = nlohmann::ordered_json::array();
  for (std::size_t i = 0; i < row.runs.size(); ++i) {
    const InstructionRun& run = row.runs[i];
    const std::string& unencoded = found.compiled.trials[i].verdict.unencoded;
    nlohmann::ordered_json one = {{"measure", run.measure}, {"verdict", run.verdict}};
    if (!run.text.empty()) one["text"] = run.text;
    if (!run.note.empty()) one["note"] = run.note;
    if (!run.trick.empty()) one["trick"] = run.trick;
    if (run.encoded_cycles) one["encoded_cycles"] = *run.encoded_cycles;
    if (!unencoded.empty()) one["not_encoded"] = unencoded;
    for (const auto& [opcode, cycles] : run.via) one["via"].push_back({{"opcode", opcode}, {"cycles", cycles}});
    one["sass_hash"] = run.sass_hash;
    out["runs"].push_back(std::move(one));
  }
  out["estimates"] = nlohmann::ordered_json::array();
  for (const Estimate& e : row.estimates) {
    out["estimates"].push_back(json_of(e));
  }
  out["findings"] = row.findings;
  if (row.clock.sm_mhz > 0) out["sm_mhz"] = row.clock.sm_mhz;
  return out;
}

}  // namespace warpclock
