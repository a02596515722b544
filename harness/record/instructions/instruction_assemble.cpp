#include "record/instructions/instruction_assemble.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string_view>

#include "analyze/estimates.hpp"
#include "analyze/fit.hpp"
#include "base/hash.hpp"
#include "base/lookup.hpp"
#include "base/text.hpp"
#include "code/semantics.hpp"
#include "fields/form_table.hpp"
#include "gpu/launch/clock.hpp"
#include "ptx/experiment/conditions.hpp"
#include "ptx/instruction.hpp"
#include "record/assemble.hpp"
#include "verify/instruction/expansion.hpp"

namespace warpclock {
namespace {

/// The opcodes of one kind without those of the instruction itself, `own` for each copy. The opcodes of its expansion
/// are removed first.
std::map<std::string, double> without_own(std::map<std::string, double> opcodes, const Expansion& expansion,
                                          double own) {
  const auto take = [&](double& count, double most) {
    const double taken = std::clamp(std::min(most, count), 0.0, own);
    count -= taken;
    own -= taken;
  };
  const double instances = own;
  for (auto& [opcode, count] : opcodes) {
    const auto times = std::ranges::count(expansion.opcodes, opcode);
    if (times > 0) take(count, instances);
  }
  for (auto& [opcode, count] : opcodes) take(count, count);
  return opcodes;
}

}  // namespace

std::map<std::string, double> other_pipes(const Trial& trial, const Expansion& expansion, double copies) {
  std::map<std::string, std::map<std::string, double>> kinds;
  for (const auto& [what, count] : trial.further) kinds[what.second][what.first] += static_cast<double>(count);
  std::map<std::string, double> others;
  for (const auto& [kind, opcodes] : kinds) {
    const double instances = static_cast<double>(value_or(expansion.kinds, kind, 0)) * copies;
    for (const auto& [opcode, count] : without_own(opcodes, expansion, instances)) {
      if (count != 0) others[std::string(pipe_of(opcode))] += count / copies;
    }
  }
  return others;
}

std::set<std::string> own_pipes(const Expansion& expansion) {
  std::set<std::string> pipes;
  for (const std::string& opcode : expansion.opcodes) pipes.emplace(pipe_of(opcode));
  return pipes;
}

void add_counters(const CopyCounters& counters, Row& row) {
  row.counters_missing = counters.missing;
  if (!counters.missing.empty() || counters.copies <= 0) return;
  constexpr std::string_view pipe_prefix = "smsp__inst_executed_pipe_";
  // The compiler may use another opcode for one copy of several. If operands decide, the executed instructions are
  // unknown.
  constexpr double least_of_a_pipe = 0.2;
  for (const auto& [counter, value] : counters.larger) {
    const auto smaller = counters.smaller.find(counter);
    if (smaller == counters.smaller.end()) continue;
    const double each = (value - smaller->second) / counters.copies;
    if (std::abs(each) < 1e-9) continue;
    row.counters[counter] = each;
    if (!counter.starts_with(pipe_prefix)) continue;
    const std::string rest = counter.substr(pipe_prefix.size()), pipe = rest.substr(0, rest.find('.'));
    const double own = each - value_or(counters.others, pipe, 0);
    const bool is_own = own > least_of_a_pipe || (each > least_of_a_pipe && counters.likely.contains(pipe));
    if (is_own && std::ranges::find(row.pipes, pipe) == row.pipes.end()) row.pipes.push_back(pipe);
  }
  std::ranges::sort(row.pipes);
  const auto executed = row.counters.find("smsp__inst_executed.sum");
  if (executed == row.counters.end()) return;
  constexpr std::string_view begins = "each copy executes ";
  std::erase_if(row.instruction.findings, [&](const std::string& finding) { return finding.starts_with(begins); });
  const double found = executed->second * counters.copies;
  if (counters.planned && std::abs(found - *counters.planned) > 0.5) {
    row.instruction.findings.push_back(fmt::format("{}{:g} instructions, and the code says {:g}", begins,
                                                   executed->second, *counters.planned / counters.copies));
  }
}

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

/// Cycles of the companions on the chain, per copy.
double links_on_chain(const InstructionVerdict& verdict) {
  double links = 0;
  for (const auto& [opcode, cycles] : verdict.via) links += cycles;
  return links;
}

/// How much of an encoded distance does not come from stall counts; empty if all does.
std::string waits_note(const InstructionVerdict& verdict) {
  if (!verdict.encoded_cycles || verdict.waited_cycles <= 0) return {};
  return fmt::format("stall counts give {:.4g} cycles, and two-pass multiplies wait {:.4g} more",
                     *verdict.encoded_cycles - verdict.waited_cycles - links_on_chain(verdict), verdict.waited_cycles);
}

/// Appends to a note, after a semicolon.
void add_note(std::string& note, const std::string& more) {
  if (!more.empty()) note += (note.empty() ? "" : "; ") + more;
}

/// The window of a trial as a row has it, without samples.
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

Row ended(Row row, Outcome outcome, Reason reason) {
  row.outcome = outcome;
  row.reason = std::move(reason);
  return row;
}

/// Other opcodes of its operation that ptxas chooses for a twentieth or more of the copies of a chain, whose latency is
/// then a mean. Small windows may not have them.
std::vector<std::string> alternating(const CompiledInstruction& compiled) {
  std::vector<std::string> others;
  if (compiled.expansion.opcodes.size() != 1) return others;
  const std::string &own = compiled.expansion.opcodes.front(), kind = kind_of(own);
  for (const Trial& trial : compiled.trials) {
    if (!trial.verdict.verified() || trial.experiment.question != Question::Latency) continue;
    std::int64_t all = 0;
    for (const auto& [what, count] : trial.further) all += what.second == kind ? count : 0;
    for (const auto& [what, count] : trial.further) {
      const auto& opcode = what.first;
      const bool links = std::ranges::any_of(trial.verdict.via, [&](const auto& link) { return link.first == opcode; });
      if (links || what.second != kind || opcode == own || count <= 0 || count * 20 < all) continue;
      if (std::ranges::find(others, opcode) == others.end()) others.push_back(opcode);
    }
  }
  return others;
}

std::string types_of(const PtxInstruction& instruction) {
  std::string types;
  std::vector<std::string> seen;
  for (const Operand& operand : instruction.operands) {
    if (operand.type.empty() || !operand.immediate.empty() || std::ranges::find(seen, operand.type) != seen.end())
      continue;
    seen.push_back(operand.type);
    types += (types.empty() ? "" : " ") + operand.type;
  }
  return types;
}

/// Computes latencies and the throughput grid from the series. A series that gives no number becomes a rejected run.
class Analyst {
 public:
  Analyst(Row& row, const CompiledInstruction& compiled, const std::vector<Timing>& timings,
          const Observation& observation)
      : row_(row), compiled_(compiled), timings_(timings), observation_(observation) {}

  void analyze() {
    std::size_t at = 0, compared = 0;  // kernels of the job
    for (const Timing& timing : timings_) compared += compiled_.trials[timing.trial].kernels.size();
    for (const Timing& timing : timings_) {
      const std::size_t repeats = compiled_.trials[timing.trial].kernels.size();
      Samples samples;
      for (std::size_t i = 0; i < repeats && at < observation_.samples.size(); ++i) {
        samples.push_back(observation_.samples[at++]);
      }
      const Trial& trial = compiled_.trials[timing.trial];
      InstructionRun& run = row_.instruction.runs[timing.trial];
      const bool chain = trial.experiment.question == Question::Latency;
      const bool early = trial.compared && reads_too_early(compared);
      if (trial.compared) compared += 2;
      if (early) problem(run, Error{"stale-read", "its copies compute something else than the same copies far apart"});
      if (chain && timing.warps == 1 && !early) latency(trial, run, samples);
      if (!chain || timing.warps > 1) point(timing, trial, run, samples);
      run.samples.emplace(timing.warps, std::move(samples));
    }
    const Expected<std::vector<Estimate>> found = rates(grid_);
    if (found) row_.estimates.insert(row_.estimates.end(), found->begin(), found->end());
    for (InstructionRun& run : row_.instruction.runs) {
      if (!found && run.verified() && run.measure.starts_with("throughput")) problem(run, found.error());
    }
  }

 private:
  /// Compares what two kernels of the job computed. If the patient one does not compute the same in each launch,
  /// nothing is known.
  [[nodiscard]] bool reads_too_early(std::size_t early) const {
    const std::vector<std::string>& digests = observation_.digests;
    return early + 1 < digests.size() && !digests[early + 1].empty() && digests[early] != digests[early + 1];
  }

  void latency(const Trial& trial, InstructionRun& run, const Samples& samples) {
    auto estimate = chain_latency(run.measure, samples, trial.verdict.via);
    if (!estimate) return problem(run, estimate.error());
    add_note(estimate->note, trial.verdict.note);
    if (const auto encoded = trial.verdict.encoded_cycles) {
      Estimate distance = *estimate;
      constexpr std::string_view latency = "latency.";
      distance.name = "encoded." + run.measure.substr(run.measure.starts_with(latency) ? latency.size() : 0);
      distance.value = distance.low = distance.high = *encoded - links_on_chain(trial.verdict);
      distance.method = "encoded";
      distance.note = waits_note(trial.verdict);
      if (const auto text = disagreement(*estimate, distance.value)) {
        row_.instruction.findings.push_back(fmt::format("{}: {}", run.measure, *text));
      }
      row_.estimates.push_back(*std::move(estimate));
      row_.estimates.push_back(std::move(distance));
    } else {
      row_.estimates.push_back(*std::move(estimate));
    }
  }

  void point(const Timing& timing, const Trial& trial, InstructionRun& run, const Samples& samples) {
    auto rate = rate_point(timing.warps, trial.experiment.ilp, trial.experiment.trips, samples);
    if (!rate) {
      // A single point without a number does not reject the whole grid.
      row_.instruction.findings.push_back(
          fmt::format("{} at {} warps: {}", run.measure, timing.warps, rate.error().text));
      return;
    }
    if (!rate->bend.empty()) {
      row_.instruction.findings.push_back(fmt::format("{} at {} warps: {}", run.measure, timing.warps, rate->bend));
    }
    row_.instruction.curve.push_back({rate->warps, rate->ilp, rate->rate});
    grid_.push_back(*rate);
  }

  static void problem(InstructionRun& run, const Error& error) {
    run.verdict = error.code;
    run.text = error.text;
  }

  Row& row_;
  const CompiledInstruction& compiled_;
  const std::vector<Timing>& timings_;
  const Observation& observation_;
  std::vector<RatePoint> grid_;
};

/// What ptxas makes of several copies, in other words than what the form's row says.
void add_mixture(Row& row, const CompiledInstruction& compiled, const std::vector<Timing>& timings,
                 const Observation& observation) {
  Row copies;
  copies.instruction.runs = std::move(row.instruction.runs);
  Analyst(copies, compiled, timings, observation).analyze();
  row.instruction.runs = std::move(copies.instruction.runs);
  for (Estimate& estimate : copies.estimates) {
    if (estimate.name != "throughput" && estimate.name != "interval") continue;
    estimate.name = "mixture." + estimate.name;
    row.estimates.push_back(std::move(estimate));
  }
}

/// The row of what is one machine instruction.
Row answered(Row row, const PtxInstruction& instruction, const CompiledInstruction& compiled,
             const std::vector<Timing>& timings, const Expected<Observation>* observation, const Row* form) {
  std::vector<std::string> others;
  for (const std::string& other : compiled.word->others) others.push_back(name_in(other));
  if (!others.empty()) row.instruction.labels.push_back("alternates with " + join(others, ", "));
  if (form == nullptr)
    return ended(std::move(row), Outcome::Skipped, {"run", std::string(word(ErrorCode::NotRun)), "nobody ran it"});
  answer_by_form(row, instruction, *compiled.word, *form);
  if (observation == nullptr || !*observation) return row;
  row.clock = (*observation)->clock;
  add_mixture(row, compiled, timings, **observation);
  return row;
}

}  // namespace

Row assemble_instruction(const InstructionName& name, const PtxInstruction& instruction,
                         const CompiledInstruction& compiled, const std::vector<Timing>& timings,
                         const Expected<Observation>* observation, const Row* form) {
  Row row;
  row.id = name.id;
  row.kind = RowKind::Ptx;
  row.family = name.family;
  row.ptx = name.ptx;
  row.instruction.section = instruction.section;
  row.instruction.types = types_of(instruction);
  row.arch = name.arch;
  if (compiled.problem) {
    const Error& error = *compiled.problem;
    if (error.code == ErrorCode::UnsupportedArch) {
      return ended(std::move(row), Outcome::Skipped, {"plan", error.code, error.text});
    }
    if (error.code == ErrorCode::NoInstruction) {
      return ended(std::move(row), Outcome::Skipped, {"verify", error.code, error.text});
    }
    if (error.code == ErrorCode::ClockMismatch)
      return ended(std::move(row), Outcome::Rejected, {"verify", error.code, error.text});
    return ended(std::move(row), Outcome::Failed, {"compile", error.code, error.message()});
  }
  row.instruction.became = compiled.expansion.opcodes;
  row.instruction.labels = compiled.expansion.labels;
  if (const auto others = alternating(compiled); !others.empty())
    row.instruction.labels.push_back("alternates with " + join(others, ", "));
  for (std::string& condition : conditions_of(instruction)) row.instruction.labels.push_back(std::move(condition));
  if (accesses_memory(instruction)) row.instruction.labels.push_back("on one SM; all copies access the same bytes");
  for (const Trial& trial : compiled.trials) row.instruction.runs.push_back(run_of(trial, instruction));
  if (compiled.word) return answered(std::move(row), instruction, compiled, timings, observation, form);
  const bool verified = std::ranges::any_of(compiled.trials, [](const Trial& t) { return t.verdict.verified(); });
  if (!verified) {
    if (compiled.trials.empty())
      return ended(
          std::move(row), Outcome::Rejected,
          {"verify", "no-experiment",
           "nothing to repeat: it makes a constant, or has no result that could be a source of the next copy"});
    const InstructionRun& first = row.instruction.runs.front();
    Reason reason{"verify", first.verdict, first.measure + ": " + first.text};
    return ended(std::move(row), Outcome::Rejected, std::move(reason));
  }
  if (!observation)
    return ended(std::move(row), Outcome::Skipped, {"run", std::string(word(ErrorCode::NotRun)), "nobody ran it"});
  if (!*observation) {
    return ended(std::move(row), Outcome::Failed, {"run", observation->error().code, observation->error().message()});
  }
  row.clock = (*observation)->clock;
  if (const auto sign = shared_sign(row.clock, (*observation)->samples)) {
    row.instruction.labels.push_back("shared");
    row.instruction.findings.push_back(fmt::format("shared: {}, {:.0f} microseconds", sign->text, sign->us));
  }
  Analyst(row, compiled, timings, **observation).analyze();
  state_fixed_latencies(row);
  if (row.estimates.empty()) {
    const auto bad =
        std::ranges::find_if(row.instruction.runs, [](const InstructionRun& run) { return !run.verified(); });
    Reason reason{"analyze", "no-value", "no series gave a number"};
    if (bad != row.instruction.runs.end()) reason = {"analyze", bad->verdict, bad->text};
    return ended(std::move(row), Outcome::Rejected, std::move(reason));
  }
  return row;
}

void state_fixed_latencies(Row& row) {
  constexpr std::string_view prefix = "latency.";
  const bool mixed = std::ranges::any_of(
      row.instruction.labels, [](const std::string& label) { return label.starts_with("alternates with "); });
  for (const InstructionRun& run : row.instruction.runs) {
    const auto latency = std::ranges::find(row.estimates, run.measure, &Estimate::name);
    const auto samples = run.samples.find(1);
    if (!run.verified() || !run.measure.starts_with(prefix) || latency == row.estimates.end()) continue;
    ChainFacts facts{.encoded = run.encoded_cycles, .mixed = mixed};
    for (const auto& [opcode, cycles] : run.via) facts.links += cycles;
    if (facts.encoded) *facts.encoded -= facts.links;
    if (run.trips == 1 && samples != run.samples.end()) state_fixed_latency(*latency, samples->second, facts);
    const Estimate* encoded = find_by(row.estimates, "encoded." + run.measure.substr(prefix.size()), &Estimate::name);
    const bool said = std::ranges::any_of(
        row.instruction.findings, [&](const std::string& finding) { return finding.starts_with(run.measure + ":"); });
    if (encoded == nullptr || said) continue;
    if (auto words = encoded_mean(*latency, *encoded)) row.instruction.findings.push_back(*std::move(words));
  }
}

}  // namespace warpclock
