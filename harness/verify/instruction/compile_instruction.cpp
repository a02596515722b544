#include "verify/instruction/compile_instruction.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "code/semantics.hpp"
#include "compile/generated.hpp"
#include "verify/instruction/executed.hpp"

namespace warpclock {
namespace {

/// An experiment that is being compiled.
struct Attempt {
  std::size_t subject = 0;
  Experiment experiment;
  std::vector<std::int64_t> repeats;  ///< to be compiled now
  std::vector<std::int64_t> later;    ///< to be compiled if the first ones turn out as intended
  std::vector<Kernel> kernels;        ///< compiled so far
  std::vector<TrialKernel> places;    ///< where those kernels are
};

// Multiples of three, because guarded copies use three predicates in turn. Large expansions get fewer copies, so that
// the window stays well inside the instruction cache.
std::vector<std::int64_t> repeats_for(std::int64_t size, const Experiment& experiment) {
  const std::int64_t instructions = size * experiment.ilp;
  if (experiment.question == Question::Throughput) {
    // With more copies, a larger part of the overhead of a loop trip is hidden.
    if (instructions <= 4) return {12, 24, 36};
    if (instructions <= 16) return {6, 12, 18};
    return {3, 6, 9};
  }
  if (instructions <= 4) return {6, 12, 24};
  if (instructions <= 16) return {6, 12, 18};
  if (instructions <= 64) return {3, 6, 12};
  return {3, 6, 9};
}

/// Registers per thread: one more than the highest number in the code.
int registers_of(const Listing& listing) {
  int count = 0;
  for (const Instruction& instruction : listing.instructions) {
    const Effects effects = effects_of(instruction);
    const auto raise = [&](const std::vector<Register>& registers) {
      for (const Register reg : registers) {
        if (reg.file == RegisterFile::Vector) count = std::max(count, reg.index + 1);
      }
    };
    raise(effects.writes);
    for (const auto& source : effects.sources) raise(source);
  }
  return count;
}

/// There is one throughput, but one latency for each link.
bool is_of(const Trial& trial, const Experiment& experiment) {
  return trial.experiment.question == experiment.question &&
         (experiment.question == Question::Throughput || trial.experiment.links == experiment.links);
}

/// "spread", "one chain"
std::string attempted(const Experiment& experiment) {
  return experiment.trick == Trick::None ? "one chain" : std::string(name(experiment.trick));
}

class InstructionCompiler {
 public:
  InstructionCompiler(const std::vector<const PtxInstruction*>& instructions, const Arch& arch,
                      const CompileInstructionOptions& options)
      : instructions_(instructions), arch_(arch), options_(options), compiled_(instructions.size()) {}

  std::vector<CompiledInstruction> run() {
    isolate();
    std::vector<Attempt> attempts;
    const auto add = [&](std::size_t i, Experiment experiment) {
      Attempt& attempt = attempts.emplace_back(i, std::move(experiment));
      attempt.repeats = repeats_of(attempt);
    };
    for (std::size_t i = 0; i < compiled_.size(); ++i) {
      if (compiled_[i].problem) continue;
      std::vector<Experiment> latencies = latency_experiments(*instructions_[i]);
      const bool any = instructions_[i]->asked.empty();
      const bool throughput = any && (options_.throughput || (options_.lone_throughput && latencies.empty()));
      for (Experiment& one : latencies) add(i, std::move(one));
      if (throughput && !makes_constant(*instructions_[i]))
        add(i, throughput_experiment(*instructions_[i], multiplies(i), size(i)));
    }
    for (; !attempts.empty(); attempts = next_attempts()) try_all(std::move(attempts));
    return std::move(compiled_);
  }

 private:
  [[nodiscard]] std::vector<std::int64_t> repeats_of(const Attempt& attempt) const {
    const Experiment& experiment = attempt.experiment;
    if (experiment.trick != Trick::Spread) return repeats_for(size(attempt.subject), experiment);
    return spread_copies_of(*instructions_[attempt.subject], experiment.links.front())->repeats;
  }

  [[nodiscard]] Case case_for(const Attempt& attempt) {
    Case made;
    made.kernel = generate(*instructions_[attempt.subject], attempt.experiment, attempt.repeats, sources_);
    made.id = made.kernel;
    made.arch = arch_;
    made.repeats = attempt.repeats;
    return made;
  }

  std::vector<Expected<Build>> compile(const std::vector<Case>& cases) {
    auto builds = build(cases, sources_, options_.build);
    sources_.clear();
    return builds;
  }

  void isolate() {
    std::vector<Case> cases;
    for (std::size_t i = 0; i < instructions_.size(); ++i) cases.push_back(case_for({.subject = i, .repeats = {1}}));
    auto builds = compile(cases);
    for (std::size_t i = 0; i < compiled_.size(); ++i) {
      CompiledInstruction& compiled = compiled_[i];
      if (!builds[i]) {
        compiled.problem = builds[i].error();
        continue;
      }
      if (auto expansion = expansion_of(builds[i]->kernels.front().listing, *instructions_[i])) {
        compiled.expansion = *std::move(expansion);
      } else {
        compiled.problem = expansion.error();
      }
    }
  }

  void try_all(std::vector<Attempt> attempts) {
    std::vector<Case> cases;
    cases.reserve(attempts.size());
    for (const Attempt& attempt : attempts) cases.push_back(case_for(attempt));
    auto builds = compile(cases);
    for (std::size_t i = 0; i < attempts.size(); ++i) {
      Attempt& attempt = attempts[i];
      if (!builds[i]) {
        keep(attempt, {.code = builds[i].error().code, .text = builds[i].error().message()});
        continue;
      }
      for (Kernel& kernel : builds[i]->kernels) {
        attempt.places.emplace_back(kernel.n, kernel.symbol, builds[i]->cubin_path);
        attempt.kernels.push_back(std::move(kernel));
      }
      InstructionVerdict verdict = verify_instruction(attempt.kernels, *instructions_[attempt.subject],
                                                      attempt.experiment, compiled_[attempt.subject].expansion);
      if (verdict.verified() && !attempt.later.empty()) {
        attempt.repeats = std::exchange(attempt.later, {});
        promising_.push_back(std::move(attempt));
      } else {
        keep(attempt, std::move(verdict));
      }
    }
  }

  /// A verified trick replaces the plain trial. Otherwise the first reason stays.
  void keep(Attempt& attempt, InstructionVerdict verdict) {
    CompiledInstruction& compiled = compiled_[attempt.subject];
    const Experiment& experiment = attempt.experiment;
    const auto plain =
        std::ranges::find_if(compiled.trials, [&](const Trial& trial) { return is_of(trial, experiment); });
    if (plain == compiled.trials.end()) {
      compiled.trials.push_back(trial_of(attempt, std::move(verdict)));
    } else if (verdict.verified()) {
      *plain = trial_of(attempt, std::move(verdict));
    } else {
      plain->last = experiment;
      plain->tried += fmt::format("{}{}: {}", plain->tried.empty() ? "" : "; ", attempted(experiment), verdict.code);
      // If a predicate became a branch, this text gives the reason.
      if (experiment.trick == Trick::Gathered) plain->tried += ", " + verdict.text;
    }
  }

  Trial trial_of(Attempt& attempt, InstructionVerdict verdict) const {
    const CompiledInstruction& compiled = compiled_[attempt.subject];
    Trial trial;
    trial.experiment = trial.last = attempt.experiment;
    trial.verdict = std::move(verdict);
    trial.kernels = std::move(attempt.places);
    for (const Kernel& kernel : attempt.kernels) {
      // The operands decide whether the branches of an instruction are taken. The branches of guards never are.
      trial.executed.push_back(compiled.expansion.branches ? std::nullopt
                                                           : executed_instructions(kernel.listing, Launch{}.warmups + 1,
                                                                                   attempt.experiment.trips));
      trial.registers = std::max(trial.registers, registers_of(kernel.listing));
    }
    if (attempt.kernels.empty()) return trial;
    trial.further = further_of(attempt, trial.verdict, compiled.expansion.branches);
    const auto& verdicts = trial.verdict.verdicts;
    const auto bad = std::ranges::find_if(verdicts, [](const Verdict& one) { return !one.verified(); });
    if (bad != verdicts.end()) trial.which = static_cast<std::size_t>(bad - verdicts.begin());
    trial.shown = std::move(attempt.kernels[trial.which].listing);
    return trial;
  }

  static Code further_of(const Attempt& attempt, const InstructionVerdict& verdict, bool branches) {
    const std::size_t last = attempt.kernels.size() - 1;
    if (last == 0 || verdict.verdicts.size() != attempt.kernels.size()) return {};
    const int passes = Launch{}.warmups + 1, trips = attempt.experiment.trips;
    const auto of = [&](std::size_t i) -> Code {
      const Listing& listing = attempt.kernels[i].listing;
      const auto executed = executed_code(listing, passes, trips);
      if (executed && !branches) return *executed;
      Code code = code_between(listing, verdict.verdicts[i].open + 1, verdict.verdicts[i].close);
      for (auto& [what, count] : code) count *= std::int64_t{passes} * trips;
      return code;
    };
    Code further = of(last);
    for (const auto& [what, count] : of(last - 1)) further[what] -= count;
    std::erase_if(further, [](const auto& entry) { return entry.second == 0; });
    return further;
  }

  /// Returns the promising attempts to complete, and the next trick for those that the compiler did not leave as
  /// intended.
  std::vector<Attempt> next_attempts() {
    constexpr std::array<std::string_view, 9> curable{"folded",         "count",          "rewritten",
                                                      "broken-chain",   "foreign-opcode", "leaky-window",
                                                      "ambiguous-link", "unknown-link",   "open-window"};
    std::vector<Attempt> attempts = std::exchange(promising_, {});
    const std::size_t promising = attempts.size();
    for (std::size_t i = 0; i < compiled_.size(); ++i) {
      for (const Trial& trial : compiled_[i].trials) {
        if (std::ranges::find(curable, trial.verdict.code) == curable.end()) continue;
        const auto under_way = [&](const Attempt& one) { return one.subject == i && is_of(trial, one.experiment); };
        if (std::ranges::any_of(attempts.begin(), attempts.begin() + promising, under_way)) continue;
        auto next = next_experiment(*instructions_[i], trial.last, multiplies(i), size(i));
        // Code between two copies of four chains would also be there with more chains.
        if (next && next->trick == Trick::Spread && trial.verdict.code == ErrorCode::ForeignOpcode) {
          next = next_experiment(*instructions_[i], *next, multiplies(i), size(i));
        }
        if (!next) continue;
        Attempt& attempt = attempts.emplace_back(i, *std::move(next));
        attempt.repeats = repeats_of(attempt);
        // Most tricks do not help, and compiling the largest window costs as much as compiling the others.
        attempt.later.push_back(attempt.repeats.back());
        attempt.repeats.pop_back();
      }
    }
    return attempts;
  }

  [[nodiscard]] bool multiplies(std::size_t i) const { return warpclock::multiplies(compiled_[i].expansion); }
  [[nodiscard]] std::int64_t size(std::size_t i) const { return total(compiled_[i].expansion.kinds); }

  const std::vector<const PtxInstruction*>& instructions_;
  const Arch arch_;
  Sources sources_;
  const CompileInstructionOptions& options_;
  std::vector<CompiledInstruction> compiled_;
  std::vector<Attempt> promising_;
};

}  // namespace

std::vector<CompiledInstruction> compile_instructions(const std::vector<const PtxInstruction*>& instructions,
                                                      const Arch& arch, const CompileInstructionOptions& options) {
  return InstructionCompiler(instructions, arch, options).run();
}

}  // namespace warpclock
