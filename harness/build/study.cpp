#include "build/study.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "build/executed.hpp"
#include "build/generated.hpp"
#include "build/semantics.hpp"

namespace warpclock {
namespace {

/// An experiment on its way through the compiler.
struct Attempt {
  std::size_t subject;
  Experiment experiment;
};

// Multiples of three, because guarded copies come by threes. Large expansions get fewer copies, so that the window
// stays well inside the instruction cache.
std::vector<std::int64_t> repeats_for(std::int64_t size, const Experiment& experiment) {
  const std::int64_t instructions = size * experiment.ilp;
  if (experiment.question == Question::Throughput) {
    // Of what a trip of the loop costs apart from its copies, the more is hidden the more copies there are.
    if (instructions <= 4) return {12, 24, 36};
    if (instructions <= 16) return {6, 12, 18};
    return {3, 6, 9};
  }
  if (instructions <= 4) return {6, 12, 24};
  if (instructions <= 16) return {6, 12, 18};
  if (instructions <= 64) return {3, 6, 12};
  return {3, 6, 9};
}

/// Registers of a thread: one more than the highest that the code names.
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

/// "spread", "one chain"
std::string attempted(const Experiment& experiment) {
  return experiment.trick == Trick::None ? "one chain" : std::string(name(experiment.trick));
}

class Student {
 public:
  Student(const std::vector<const PtxInstruction*>& instructions, const Arch& arch, const StudyOptions& options)
      : instructions_(instructions), arch_(arch), options_(options), studies_(instructions.size()) {}

  std::vector<Study> run() {
    isolate();
    std::vector<Attempt> attempts;
    for (std::size_t i = 0; i < studies_.size(); ++i) {
      if (studies_[i].problem) continue;
      std::vector<Experiment> latencies = latency_experiments(*instructions_[i]);
      const bool throughput = options_.throughput || (options_.lone_throughput && latencies.empty());
      for (Experiment& one : latencies) attempts.push_back({i, std::move(one)});
      if (throughput && !makes_constant(*instructions_[i]))
        attempts.push_back({i, throughput_experiment(*instructions_[i], multiplies(i), size(i))});
    }
    try_all(attempts);
    while (retry()) continue;
    return std::move(studies_);
  }

 private:
  [[nodiscard]] Case case_for(const Attempt& attempt, std::vector<std::int64_t> repeats) {
    Case made;
    made.kernel = generate(*instructions_[attempt.subject], attempt.experiment, repeats, sources_);
    made.id = made.kernel;
    made.arch = arch_;
    made.repeats = std::move(repeats);
    return made;
  }

  std::vector<Expected<Build>> compile(const std::vector<Case>& cases) {
    auto builds = build(cases, sources_, options_.build);
    sources_.clear();
    return builds;
  }

  void isolate() {
    std::vector<Case> cases;
    for (std::size_t i = 0; i < instructions_.size(); ++i) cases.push_back(case_for({i, {}}, {1}));
    auto builds = compile(cases);
    for (std::size_t i = 0; i < studies_.size(); ++i) {
      Study& study = studies_[i];
      if (!builds[i]) {
        study.problem = builds[i].error();
        continue;
      }
      if (auto expansion = expansion_of(builds[i]->kernels.front().listing, *instructions_[i])) {
        study.expansion = *std::move(expansion);
      } else {
        study.problem = expansion.error();
      }
    }
  }

  void try_all(const std::vector<Attempt>& attempts) {
    std::vector<Case> cases;
    for (const Attempt& attempt : attempts) {
      const bool spread = attempt.experiment.trick == Trick::Spread;
      cases.push_back(case_for(
          attempt, spread ? spread_copies_of(*instructions_[attempt.subject], attempt.experiment.links.front())->repeats
                          : repeats_for(size(attempt.subject), attempt.experiment)));
    }
    auto builds = compile(cases);
    for (std::size_t i = 0; i < attempts.size(); ++i) keep(attempts[i], std::move(builds[i]));
  }

  /// A trick takes the place of the plain trial when it helps; else the first reason stands.
  void keep(const Attempt& attempt, Expected<Build> built) {
    Study& study = studies_[attempt.subject];
    Trial trial{.experiment = attempt.experiment,
                .last = attempt.experiment,
                .tried = {},
                .inspection = {},
                .cubin_path = {},
                .kernels = {},
                .executed = {},
                .registers = 0,
                .shown = {},
                .which = 0};
    if (!built) {
      trial.inspection.code = built.error().code;
      trial.inspection.text = built.error().message();
    } else {
      trial.inspection = inspect(built->kernels, *instructions_[attempt.subject], attempt.experiment, study.expansion);
      trial.cubin_path = built->cubin_path;
      for (const Kernel& kernel : built->kernels) {
        trial.kernels.emplace_back(kernel.n, kernel.symbol);
        // The branches of an instruction are taken or not as its operands say; those of guards never are.
        trial.executed.push_back(study.expansion.branches ? std::nullopt
                                                          : executed_instructions(kernel.listing, Launch{}.warmups + 1,
                                                                                  attempt.experiment.trips));
        trial.registers = std::max(trial.registers, registers_of(kernel.listing));
      }
      const auto& verdicts = trial.inspection.verdicts;
      const auto bad = std::ranges::find_if(verdicts, [](const Verdict& verdict) { return !verdict.verified(); });
      if (bad != verdicts.end()) trial.which = static_cast<std::size_t>(bad - verdicts.begin());
      trial.shown = std::move(built->kernels[trial.which].listing);
    }
    // There is one throughput, and a latency for each link.
    const auto plain = std::ranges::find_if(study.trials, [&](const Trial& other) {
      return other.experiment.question == attempt.experiment.question &&
             (attempt.experiment.question == Question::Throughput ||
              other.experiment.links == attempt.experiment.links);
    });
    if (plain == study.trials.end()) {
      study.trials.push_back(std::move(trial));
    } else if (trial.inspection.verified()) {
      *plain = std::move(trial);
    } else {
      plain->last = attempt.experiment;
      plain->tried += fmt::format("{}{}: {}", plain->tried.empty() ? "" : "; ", attempted(attempt.experiment),
                                  trial.inspection.code);
      // Where a predicate became a branch, this is what there is to know.
      if (attempt.experiment.trick == Trick::Gathered) plain->tried += ", " + trial.inspection.text;
    }
  }

  /// With the next trick, what the compiler did not leave as it was meant. Whether there was any.
  bool retry() {
    constexpr std::array<std::string_view, 9> curable{"folded",         "count",          "rewritten",
                                                      "broken-chain",   "foreign-opcode", "leaky-window",
                                                      "ambiguous-link", "unknown-link",   "open-window"};
    std::vector<Attempt> attempts;
    for (std::size_t i = 0; i < studies_.size(); ++i) {
      for (const Trial& trial : studies_[i].trials) {
        if (std::ranges::find(curable, trial.inspection.code) == curable.end()) continue;
        auto next = next_experiment(*instructions_[i], trial.last, multiplies(i), size(i));
        if (next) attempts.push_back({i, *std::move(next)});
      }
    }
    if (!attempts.empty()) try_all(attempts);
    return !attempts.empty();
  }

  [[nodiscard]] bool multiplies(std::size_t i) const { return warpclock::multiplies(studies_[i].expansion); }
  [[nodiscard]] std::int64_t size(std::size_t i) const { return total(studies_[i].expansion.kinds); }

  const std::vector<const PtxInstruction*>& instructions_;
  const Arch arch_;
  Sources sources_;
  const StudyOptions& options_;
  std::vector<Study> studies_;
};

}  // namespace

std::vector<Study> study(const std::vector<const PtxInstruction*>& instructions, const Arch& arch,
                         const StudyOptions& options) {
  return Student(instructions, arch, options).run();
}

}  // namespace warpclock
