#include "measure/block_ways.hpp"

#include "base/lookup.hpp"
#include "base/testing/matchers.hpp"

namespace warpclock {
namespace {

Way way(const std::string& name, bool answered) {
  Way made;
  made.name = name;
  if (answered) {
    made.instruction.emplace();
  } else {
    made.why_not = "no result depends on it";
  }
  return made;
}

/// A result with a run of this name.
MeasuredInstruction found(const std::string& measure) {
  MeasuredInstruction made;
  InstructionRun& run = made.record.instruction.runs.emplace_back();
  run.measure = measure;
  run.verdict = "verified";
  made.compiled.trials.emplace_back();
  return made;
}

std::vector<std::string> measures(const MeasuredInstruction& one) {
  return mapped(one.record.instruction.runs, [](const InstructionRun& run) { return run.measure + " " + run.verdict; });
}

TEST(BlockWays, StandBeforeWhatWasFoundOfTheBlock) {
  Subject line, block;
  line.id = "line";
  block.id = "block";
  block.ways = {way("latency.r4", true), way("latency.r5", false), way("latency.f1", true)};
  const std::vector<Subject> subjects{block, line};
  const std::vector<Subject> all = with_ways(subjects);
  ASSERT_THAT(all, SizeIs(4));
  EXPECT_EQ(all[2].id, "block/latency.r4");
  std::vector<MeasuredInstruction> answers;
  for (const char* measure : {"iteration.f1", "latency.a", "latency.r4", "latency.f1"}) {
    answers.push_back(found(measure));
  }
  const std::vector<MeasuredInstruction> merged = with_answers(subjects, std::move(answers));
  ASSERT_THAT(merged, SizeIs(2));
  EXPECT_THAT(measures(merged[0]), ElementsAre("latency.r4 verified", "latency.r5 not-asked", "latency.f1 verified",
                                               "iteration.f1 verified"));
  EXPECT_THAT(merged[0].compiled.trials, SizeIs(4));
  EXPECT_THAT(measures(merged[1]), ElementsAre("latency.a verified"));
}

TEST(BlockWays, WhatIsTheSameForOthersIsSaid) {
  Subject block;
  block.ways = {way("latency.r1.f1", true)};
  block.ways.front().alike_from = {"r2"};
  block.ways.front().alike_to = {"f2", "f3"};
  const auto merged = with_answers({block}, {MeasuredInstruction{}, found("latency.r1.f1")});
  EXPECT_EQ(merged.front().record.instruction.runs.front().note, "the same from r2, to f2, f3");
}

TEST(BlockWays, ABlockWithoutALatencyOfItsOwnIsWhatItsWaysAre) {
  Subject block;
  block.ways = {way("latency.r1", true)};
  MeasuredInstruction none;
  none.record.outcome = Outcome::Rejected;
  none.record.reason = {"verify", "no-experiment", "nothing to repeat"};
  EXPECT_EQ(with_answers({block}, {none, found("latency.r1")}).front().record.outcome, Outcome::Measured);
}

}  // namespace
}  // namespace warpclock
