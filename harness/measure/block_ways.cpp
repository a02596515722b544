#include "measure/block_ways.hpp"

#include <fmt/format.h>

#include <iterator>
#include <utility>

#include "base/text.hpp"

namespace warpclock {
namespace {

/// Adds a rejected run for a path that could not be compiled, with the reason.
void refuse(const Way& way, const std::string& code, const std::string& text, Found& block) {
  Trial trial;
  trial.experiment.question = Question::Latency;
  trial.inspection.code = code;
  trial.inspection.text = text;
  block.study.trials.push_back(std::move(trial));
  InstructionRun& run = block.record.runs.emplace_back();
  run.measure = way.name;
  run.verdict = code;
  run.text = text;
}

template <class Element>
void append(std::vector<Element>& all, std::vector<Element>& more) {
  all.insert(all.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
}

void take(const Way& way, Found& found, Found& block) {
  if (found.study.problem) return refuse(way, found.study.problem->code, found.study.problem->text, block);
  std::vector<std::string> alike;
  if (!way.alike_from.empty()) alike.push_back("from " + join(way.alike_from, ", "));
  if (!way.alike_to.empty()) alike.push_back("to " + join(way.alike_to, ", "));
  for (InstructionRun& run : found.record.runs) {
    if (!alike.empty()) run.note += (run.note.empty() ? "the same " : "; the same ") + join(alike, ", ");
  }
  append(block.record.runs, found.record.runs);
  append(block.record.estimates, found.record.estimates);
  append(block.record.findings, found.record.findings);
  append(block.study.trials, found.study.trials);
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

std::vector<Found> with_answers(const std::vector<Subject>& subjects, std::vector<Found> all) {
  std::vector<Found> answers;
  std::size_t next = subjects.size();
  for (std::size_t i = 0; i < subjects.size(); ++i) {
    Found own = std::move(all[i]);
    std::vector<InstructionRun> runs = std::exchange(own.record.runs, {});
    std::vector<Trial> trials = std::exchange(own.study.trials, {});
    for (const Way& way : subjects[i].ways) {
      Found* const found = way.instruction ? &all[next++] : nullptr;
      if (own.study.problem) continue;
      if (found) {
        take(way, *found, own);
      } else {
        refuse(way, "not-asked", way.why_not, own);
      }
    }
    append(own.record.runs, runs);
    append(own.study.trials, trials);
    answers.push_back(std::move(own));
  }
  return answers;
}

}  // namespace warpclock
