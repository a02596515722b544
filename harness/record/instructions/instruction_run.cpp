#include "record/instructions/instruction_run.hpp"

#include <fmt/format.h>

#include <cstddef>
#include <vector>

#include "base/hash.hpp"
#include "record/sass_line.hpp"

namespace warpclock {
namespace {

/// The lines of one copy from the middle of the smallest window.
std::vector<std::string> middle_copy(const Trial& trial) {
  const auto& verdicts = trial.verdict.verdicts;
  const auto size = [&](std::size_t i) { return verdicts[i].close - verdicts[i].open; };
  const std::size_t last = verdicts.size() - 1;
  const auto further = static_cast<std::size_t>(trial.kernels[last].n - trial.kernels[0].n);
  const std::size_t each = (size(last) - size(0)) / further;
  const std::size_t first = verdicts[trial.which].open + 1 + each * static_cast<std::size_t>(trial.kernels[0].n / 2);
  std::vector<std::string> lines;
  for (std::size_t i = first; i < first + each && i < verdicts[trial.which].close; ++i) {
    lines.push_back(sass_line(trial.shown.instructions[i]));
  }
  return lines;
}

}  // namespace

double links_on_chain(const InstructionVerdict& verdict) {
  double links = 0;
  for (const auto& [opcode, cycles] : verdict.via) links += cycles;
  return links;
}

std::string waits_note(const InstructionVerdict& verdict) {
  if (!verdict.encoded_cycles || verdict.waited_cycles <= 0) return {};
  return fmt::format("stall counts give {:.4g} cycles, and two-pass multiplies wait {:.4g} more",
                     *verdict.encoded_cycles - verdict.waited_cycles - links_on_chain(verdict), verdict.waited_cycles);
}

void add_note(std::string& note, const std::string& more) {
  if (!more.empty()) note += (note.empty() ? "" : "; ") + more;
}

InstructionRun run_of(const Trial& trial, const PtxInstruction& instruction) {
  const InstructionVerdict& verdict = trial.verdict;
  InstructionRun run;
  run.measure = trial.experiment.name(instruction);
  run.verdict = verdict.code;
  run.text = verdict.text;
  if (!verdict.verified() && !trial.tried.empty()) run.text += " (" + trial.tried + ")";
  if (verdict.verified()) {
    run.note = verdict.note;
    add_note(run.note, waits_note(verdict));
  }
  run.trick = trial.experiment.composed ? "composed" : "";
  run.trips = trial.experiment.trips;
  run.encoded_cycles = verdict.encoded_cycles;
  run.via = verdict.via;
  if (verdict.verdicts.empty()) return run;
  Hash hash;
  for (const Verdict& window : verdict.verdicts) hash.add_field(window.sass_hash);
  run.sass_hash = hash.hex();
  run.opcodes = verdict.verdicts[trial.which].opcodes;
  if (verdict.verified() && trial.experiment.question == Question::Latency) run.sass = middle_copy(trial);
  return run;
}

}  // namespace warpclock
