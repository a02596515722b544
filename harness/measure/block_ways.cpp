#include "measure/block_ways.hpp"

#include <iterator>
#include <utility>

#include "base/text.hpp"

namespace warpclock {
namespace {

/// Adds a rejected run for a path that could not be compiled, with the reason.
void refuse(const Way& way, const std::string& code, const std::string& text, MeasuredInstruction& block) {
  Trial trial;
  trial.experiment.question = Question::Latency;
  trial.verdict.code = code;
  trial.verdict.text = text;
  block.compiled.trials.push_back(std::move(trial));
  InstructionRun& run = block.record.instruction.runs.emplace_back();
  run.measure = way.name;
  run.verdict = code;
  run.text = text;
}

template <class Element>
void append(std::vector<Element>& all, std::vector<Element>& more) {
  all.insert(all.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
}

void take(const Way& way, MeasuredInstruction& found, MeasuredInstruction& block) {
  if (found.compiled.problem) return refuse(way, found.compiled.problem->code, found.compiled.problem->text, block);
  std::vector<std::string> alike;
  if (!way.alike_from.empty()) alike.push_back("from " + join(way.alike_from, ", "));
  if (!way.alike_to.empty()) alike.push_back("to " + join(way.alike_to, ", "));
  for (InstructionRun& run : found.record.instruction.runs) {
    if (!alike.empty()) run.note += (run.note.empty() ? "the same " : "; the same ") + join(alike, ", ");
  }
  append(block.record.instruction.runs, found.record.instruction.runs);
  append(block.record.estimates, found.record.estimates);
  append(block.record.instruction.findings, found.record.instruction.findings);
  append(block.compiled.trials, found.compiled.trials);
  // A block without a loop-carried register has no latency of its own.
  if (block.record.reason.stage != "verify") return;
  block.record.outcome = found.record.outcome;
  block.record.reason = found.record.reason;
}

}  // namespace

std::vector<Subject> with_ways(const std::vector<Subject>& subjects) {
  std::vector<Subject> all = subjects;
  for (const Subject& block : subjects) {
    for (const Way& way : block.ways) {
      if (!way.instruction) continue;
      all.push_back({block.id + "/" + way.name, block.family, way.instruction->text, *way.instruction, block.needs});
    }
  }
  return all;
}

std::vector<MeasuredInstruction> with_answers(const std::vector<Subject>& subjects,
                                              std::vector<MeasuredInstruction> all) {
  std::vector<MeasuredInstruction> answers;
  std::size_t next = subjects.size();
  for (std::size_t i = 0; i < subjects.size(); ++i) {
    MeasuredInstruction own = std::move(all[i]);
    std::vector<InstructionRun> runs = std::exchange(own.record.instruction.runs, {});
    std::vector<Trial> trials = std::exchange(own.compiled.trials, {});
    for (const Way& way : subjects[i].ways) {
      MeasuredInstruction* const found = way.instruction ? &all[next++] : nullptr;
      if (own.compiled.problem) continue;
      if (found) {
        take(way, *found, own);
      } else {
        refuse(way, "not-asked", way.why_not, own);
      }
    }
    append(own.record.instruction.runs, runs);
    append(own.compiled.trials, trials);
    answers.push_back(std::move(own));
  }
  return answers;
}

}  // namespace warpclock
