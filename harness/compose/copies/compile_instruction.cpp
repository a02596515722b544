#include "compose/copies/compile_instruction.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <set>
#include <utility>

#include "base/lookup.hpp"
#include "code/semantics.hpp"
#include "compile/sources.hpp"
#include "compose/copies/body.hpp"
#include "compose/copies/composing.hpp"
#include "fields/form_table.hpp"
#include "verify/instruction/expansion.hpp"

namespace warpclock {

std::vector<std::string> OneWord::forms() const {
  std::vector<std::string> all{form};
  all.insert(all.end(), others.begin(), others.end());
  return all;
}

namespace {

/// Nothing if the body has several words.
std::optional<OneWord> one_word_of(const Body& body, const PtxInstruction& instruction) {
  if (body.words.size() != 1) return std::nullopt;
  const BodyWord& word = body.words.front();
  const Effects effects = effects_of(word.instruction);
  const auto results = static_cast<int>(word.instruction.operands.size() - effects.sources.size());
  OneWord one{.form = key_of(*word.form)};
  one.sources.resize(instruction.operands.size());
  for (const auto& [element, registers] : body.sources) {
    std::vector<int>& reading = one.sources[element.first];
    for (std::size_t i = 0; i < word.numerals.size(); ++i) {
      const int source = word.form->skeleton.numerals[i].operand - results;
      if (source < 0 || !word.numerals[i] || contains(reading, source)) continue;
      if (contains(registers, *word.numerals[i])) reading.push_back(source);
    }
  }
  for (std::vector<int>& reading : one.sources) std::ranges::sort(reading);
  return one;
}

/// The forms of the other opcodes in a listing of which ptxas makes further copies of what `own` does: the first of
/// each.
std::vector<std::string> other_forms(const Listing& listing, const Code& further, const std::string& own) {
  const std::string kind = kind_of(own);
  std::vector<std::string> forms;
  std::set<std::string> seen{own};
  for (const Instruction& one : listing.instructions) {
    const auto copies = further.find({one.name(), kind});
    if (copies == further.end() || copies->second <= 0 || !seen.insert(one.name()).second) continue;
    forms.push_back(key_of(skeleton_of("@PT " + one.text)));
  }
  return forms;
}

/// An experiment that is being compiled.
struct Attempt {
  std::size_t subject = 0;
  Experiment experiment;
  std::vector<std::int64_t> repeats;
  std::vector<Kernel> kernels;
  std::vector<TrialKernel> places;  ///< where those kernels are
  std::optional<ComparedKernels> compared;
};

/// There is one throughput, but one latency for each link.
bool is_of(const Trial& trial, const Experiment& experiment) {
  return trial.experiment.question == experiment.question &&
         (experiment.question == Question::Throughput || trial.experiment.links == experiment.links);
}

class InstructionCompiler {
 public:
  InstructionCompiler(const std::vector<const PtxInstruction*>& instructions, const Arch& arch,
                      const CompileInstructionOptions& options)
      : instructions_(instructions),
        arch_(arch),
        options_(options),
        compiled_(instructions.size()),
        bodies_(instructions.size()) {}

  std::vector<CompiledInstruction> run() {
    isolate();
    for (std::size_t i = 0; i < compiled_.size(); ++i) {
      if (compiled_[i].problem) continue;
      for (Experiment& one : experiments_of(i)) asked_.emplace_back(i, std::move(one));
    }
    std::vector<Attempt> attempts;
    for (Asked& one : asked_) attempts.push_back(first_of(one));
    try_all(std::move(attempts));
    attempts.clear();
    for (const Asked& one : asked_) {
      Trial& trial = trial_of(one.subject, one.plain);
      if (trial.verdict.verified() || compiled_[one.subject].word) continue;
      if (!one.refusal.empty()) {
        trial.tried = "composed: " + one.refusal;
      } else if (trial.experiment.composed) {
        attempts.push_back(attempt(one.subject, one.plain));
      } else if (auto other = composed(one.subject, one.plain)) {
        attempts.push_back(attempt(one.subject, *std::move(other)));
      } else {
        trial.tried = "composed: " + other.error().text;
      }
    }
    try_all(std::move(attempts));
    for (CompiledInstruction& compiled : compiled_) {
      if (compiled.word) note_others(compiled);
    }
    return std::move(compiled_);
  }

 private:
  /// An experiment, and why its copies cannot be composed if that was tried first.
  struct Asked {
    std::size_t subject;
    Experiment plain;
    std::string refusal;
  };

  /// What is asked of an instruction once it is known what it becomes.
  [[nodiscard]] std::vector<Experiment> experiments_of(std::size_t subject) const {
    if (!compiled_[subject].word) return experiments_of(*instructions_[subject], size(subject));
    const bool chosen = ptxas_chooses(compiled_[subject].expansion.opcodes.front());
    if (!chosen) return {};
    return {throughput_experiment(*instructions_[subject], 1)};
  }

  /// What is asked of an instruction that becomes `size` machine instructions.
  [[nodiscard]] std::vector<Experiment> experiments_of(const PtxInstruction& instruction, std::int64_t size) const {
    std::vector<Experiment> experiments = latency_experiments(instruction);
    const bool any = instruction.asked.empty();
    const bool throughput = any && (options_.throughput || (options_.lone_throughput && experiments.empty()));
    if (throughput && !makes_constant(instruction)) experiments.push_back(throughput_experiment(instruction, size));
    return experiments;
  }

  [[nodiscard]] Attempt attempt(std::size_t subject, Experiment experiment) const {
    Attempt made{.subject = subject, .experiment = std::move(experiment)};
    made.repeats = repeats_for(size(subject), made.experiment);
    return made;
  }

  Attempt first_of(Asked& asked) {
    // What ptxas makes of the copies is the question.
    if (compiled_[asked.subject].word) return attempt(asked.subject, asked.plain);
    auto other = composed(asked.subject, asked.plain);
    if (other) return attempt(asked.subject, *std::move(other));
    asked.refusal = other.error().text;
    return attempt(asked.subject, asked.plain);
  }

  Trial& trial_of(std::size_t subject, const Experiment& experiment) {
    return *std::ranges::find_if(compiled_[subject].trials, [&](const Trial& one) { return is_of(one, experiment); });
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
      const Listing& listing = builds[i]->kernels.front().listing;
      if (auto expansion = expansion_of(listing, *instructions_[i])) {
        compiled.expansion = *std::move(expansion);
        bodies_[i] = body_of(listing, *instructions_[i], forms_);
        if (bodies_[i]) compiled.word = answering_word(*instructions_[i], *bodies_[i]);
      } else {
        compiled.problem = expansion.error();
      }
    }
  }

  /// A chosen value is a question of its own: the row of a form is about the usual ones, and about a phase that has
  /// ended.
  [[nodiscard]] std::optional<OneWord> answering_word(const PtxInstruction& instruction, const Body& body) const {
    if (!options_.answers || instruction.is_block() || !instruction.asked.empty()) return std::nullopt;
    const auto has_value = [](const Operand& operand) { return !operand.value.empty(); };
    const bool ended = find_by(instruction.operands, mbarrier_complete, &Operand::value) != nullptr;
    if (!ended && std::ranges::any_of(instruction.operands, has_value)) return std::nullopt;
    auto word = one_word_of(body, instruction);
    return word && options_.answers(*body.words.front().form) ? std::move(word) : std::nullopt;
  }

  /// Copies of one opcode alone say nothing that the row of the form does not.
  static void note_others(CompiledInstruction& compiled) {
    for (const Trial& trial : compiled.trials) {
      if (trial.verdict.verified())
        compiled.word->others = other_forms(trial.shown, trial.further, compiled.expansion.opcodes.front());
    }
    if (compiled.word->others.empty()) compiled.trials.clear();
  }

  void try_all(std::vector<Attempt> attempts) {
    const auto cases = mapped(attempts, [this](const Attempt& attempt) { return case_for(attempt); });
    auto builds = compile(cases);
    compose_all(attempts, builds);
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
      keep(attempt, std::move(verdict));
    }
  }

  /// Replaces the kernels of composed experiments by those that hold the copies.
  void compose_all(std::vector<Attempt>& attempts, std::vector<Expected<Build>>& builds) {
    std::vector<ComposeRequest> requests;
    std::vector<std::size_t> which;
    for (std::size_t i = 0; i < attempts.size(); ++i) {
      const Attempt& attempt = attempts[i];
      if (!builds[i] || !attempt.experiment.composed) continue;
      requests.push_back({*instructions_[attempt.subject], attempt.experiment,
                          body_for(attempt.subject, attempt.experiment).value(), *builds[i]});
      which.push_back(i);
    }
    const auto composed = compose(requests, arch_, options_.build);
    for (std::size_t i = 0; i < which.size(); ++i) {
      if (composed[i]) {
        attempts[which[i]].compared = *composed[i];
      } else {
        builds[which[i]] = std::unexpected(composed[i].error());
      }
    }
  }

  [[nodiscard]] Expected<Experiment> composed(std::size_t subject, const Experiment& plain) const {
    return composed_experiment(WARPCLOCK_TRY(body_for(subject, plain)), plain);
  }

  [[nodiscard]] Expected<Body> body_for(std::size_t subject, const Experiment& experiment) const {
    if (!bodies_[subject]) return bodies_[subject];
    if (!bodies_[subject]->alone.empty()) return fail("compose", bodies_[subject]->alone);
    const PtxInstruction& instruction = *instructions_[subject];
    // An iteration of a block is all of it.
    const bool whole = instruction.is_block() && instruction.asked.empty();
    if (experiment.question != Question::Latency) return whole ? bodies_[subject] : own_words(*bodies_[subject]);
    const Link link = experiment.links.front();
    Body body = WARPCLOCK_TRY(linked_body(*bodies_[subject], instruction, link, forms_));
    if (whole) return body;
    return own_words(std::move(body), link);
  }

  /// A verified trial replaces an earlier one, and so does one with kernels to look at. Otherwise the first reason
  /// stays.
  void keep(Attempt& attempt, InstructionVerdict verdict) {
    CompiledInstruction& compiled = compiled_[attempt.subject];
    const Experiment& experiment = attempt.experiment;
    const auto earlier =
        std::ranges::find_if(compiled.trials, [&](const Trial& trial) { return is_of(trial, experiment); });
    if (earlier == compiled.trials.end()) {
      compiled.trials.push_back(made_trial(attempt, std::move(verdict)));
    } else if (verdict.verified() || (earlier->kernels.empty() && !attempt.kernels.empty())) {
      std::string tried = verdict.verified() ? "" : tried_in_vain(earlier->experiment, earlier->verdict);
      *earlier = made_trial(attempt, std::move(verdict));
      earlier->tried = std::move(tried);
    } else {
      earlier->tried = tried_in_vain(experiment, verdict);
    }
  }

  static std::string tried_in_vain(const Experiment& experiment, const InstructionVerdict& verdict) {
    const std::string why = verdict.code == "compose" ? verdict.text : verdict.code + ", " + verdict.text;
    return fmt::format("{}: {}", experiment.composed ? "composed" : "compiled", why);
  }

  Trial made_trial(Attempt& attempt, InstructionVerdict verdict) const {
    const CompiledInstruction& compiled = compiled_[attempt.subject];
    Trial trial{.experiment = attempt.experiment, .verdict = std::move(verdict)};
    trial.kernels = std::move(attempt.places);
    trial.compared = std::move(attempt.compared);
    for (const Kernel& kernel : attempt.kernels) {
      // The operands decide whether the branches of an instruction are taken. The branches of guards never are.
      trial.executed.push_back(compiled.expansion.branches ? std::nullopt
                                                           : executed_instructions(kernel.listing, Launch{}.warmups + 1,
                                                                                   attempt.experiment.trips));
      trial.registers = std::max(trial.registers, registers_in(kernel.listing.instructions));
    }
    if (attempt.kernels.empty()) return trial;
    trial.further =
        further_code(attempt.kernels, trial.verdict.verdicts, attempt.experiment.trips, compiled.expansion.branches);
    const auto& verdicts = trial.verdict.verdicts;
    const auto bad = std::ranges::find_if(verdicts, [](const Verdict& one) { return !one.verified(); });
    if (bad != verdicts.end()) trial.which = static_cast<std::size_t>(bad - verdicts.begin());
    trial.shown = std::move(attempt.kernels[trial.which].listing);
    return trial;
  }

  [[nodiscard]] std::int64_t size(std::size_t i) const { return total(compiled_[i].expansion.kinds); }

  const std::vector<const PtxInstruction*>& instructions_;
  const Arch arch_;
  const KnownForms forms_{nearest_forms_of(arch_), form_times_of(arch_)};
  Sources sources_;
  const CompileInstructionOptions& options_;
  std::vector<CompiledInstruction> compiled_;
  std::vector<Asked> asked_;
  std::vector<Expected<Body>> bodies_;  ///< one for each instruction
};

}  // namespace

std::vector<CompiledInstruction> compile_instructions(const std::vector<const PtxInstruction*>& instructions,
                                                      const Arch& arch, const CompileInstructionOptions& options) {
  return InstructionCompiler(instructions, arch, options).run();
}

}  // namespace warpclock
