#include "answer/instructions/instruction_cells.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "answer/words/page_words.hpp"
#include "base/lookup.hpp"
#include "base/testing/matchers.hpp"
#include "base/text.hpp"
#include "record/json/record_json.hpp"
#include "record/record.hpp"
#include "record/testing/golden.hpp"
#include "record/testing/instructions.hpp"
#include "record/testing/machine.hpp"

namespace warpclock {
namespace {

TEST(MachineCells, SayWhatARowHas) {
  const Record table = testing::example_machine();
  const Row &ffma = table.rows[0], &mufu = table.rows[2], &isetp = table.rows[3];
  EXPECT_EQ(machine_latencies(ffma), "A 4 \xC2\xB7 B 4 \xC2\xB7 C 4");
  EXPECT_EQ(machine_latencies(mufu), "A 23");
  EXPECT_EQ(machine_latencies(isetp), "A 9.2");
  EXPECT_EQ(issue_interval_text(ffma), "2");
}

TEST(MachineCells, CountsRowsByReason) {
  Record table = testing::example_machine();
  table.rows.push_back(Row(table.rows[4]));
  const MachineCounts all = count_rows(table);
  EXPECT_EQ(all.rows, 7u);
  EXPECT_EQ(all.measured, 4u);
  EXPECT_EQ(all.intervals, 4u);
  EXPECT_EQ(all.complete, 3u);
  const std::vector<std::pair<std::string, std::size_t>> without = {{"control-flow", 2}, {"<b>", 1}};
  EXPECT_EQ(all.without, without);
}

TEST(MachineWords, AreTheCellsOfEachForm) {
  const Record table = rounded(testing::example_machine());
  const Json words = machine_words(table);
  testing::expect_golden("machine_words.json", words.dump(1) + "\n", "answer");
  EXPECT_EQ(words["rows"].size(), 6);
  EXPECT_EQ(words["rows"][0]["latency"], "A 4 \xC2\xB7 B 4 \xC2\xB7 C 4");
  EXPECT_EQ(words["counts"][0][0], "measured");
}

/// Tables of two GPUs of one architecture with one row, whose window is the same and takes the same time.
struct Two {
  Record h100, h200;

  Two() {
    h100.provenance.commit = "d6cf51e100819028a4af22c2a6084fb4bb849cb7";
    h200.provenance.commit = "3898ab8c6ba645a5213b5a2d9d870d34fb1e8e1c";
    h100.device.name = "NVIDIA H100", h200.device.name = "NVIDIA H200";
    h100.rows = {testing::measured_row("fp32", "fma.rn.f32 {d}, {a}, {b}, {c}", "f32", "FFMA", "fma",
                                       {{"a", 24}, {"b", 24}}, 128)};
    h200.rows = h100.rows;
  }
  [[nodiscard]] TabledRow on_h100() const { return {h100, h100.rows[0]}; }
  [[nodiscard]] TabledRow on_h200() const { return {h200, h200.rows[0]}; }
  Estimate& latency(const std::string& operand) {
    return *std::ranges::find(h200.rows[0].estimates, "latency." + operand, &Estimate::name);
  }
  InstructionRun& run(const std::string& measure) {
    return *std::ranges::find_if(h200.rows[0].instruction.runs,
                                 [&](const InstructionRun& one) { return one.measure.starts_with(measure); });
  }
  [[nodiscard]] std::vector<std::string> apart() const { return of_other_code(on_h200(), on_h100()); }
};

void set(Estimate& estimate, double value) { estimate.value = estimate.low = estimate.high = value; }

TEST(TimedCode, OfTheSameWindowsIsADifferenceOfTheGpus) {
  Two two;
  set(two.latency("a"), 12);
  EXPECT_THAT(two.apart(), IsEmpty());
  EXPECT_EQ(other_code_in_words(two.on_h200(), two.on_h100()), "");
}

TEST(TimedCode, OfAnotherWindowIsNoDifferenceOfTheGpus) {
  Two two;
  set(two.latency("a"), 12);
  two.run("latency.a").sass_hash = two.run("latency.b").sass_hash = "composed";
  EXPECT_THAT(two.apart(), ElementsAre("latency.a")) << "b takes as long in the other window";
  EXPECT_EQ(other_code_in_words(two.on_h200(), two.on_h100()),
            "latency.a: no comparison with NVIDIA H100, whose record timed other machine code (commits 3898ab8c and "
            "d6cf51e1)");
  two.latency("a").high = 24;
  EXPECT_THAT(two.apart(), IsEmpty()) << "the intervals meet";
  set(two.latency("a"), 12);
  two.h200.rows[0].arch = "sm_100a";
  EXPECT_THAT(two.apart(), IsEmpty()) << "other architectures have other code";
}

TEST(TimedCode, OfARateIsThatOfItsOwnWindow) {
  Two two;
  for (Estimate& estimate : two.h200.rows[0].estimates)
    if (!estimate.name.starts_with("latency.")) set(estimate, 2 * estimate.high);
  two.run("latency.a").sass_hash = "composed";
  EXPECT_THAT(two.apart(), IsEmpty());
  for (InstructionRun& run : two.h200.rows[0].instruction.runs)
    if (run.measure.starts_with("throughput")) run.sass_hash = "composed";
  EXPECT_THAT(two.apart(), ElementsAre("throughput")) << "its reciprocal and the place in the grid say no more";
}

TEST(TimedCode, OfOneMachineInstructionIsItsForm) {
  Two two;
  set(two.latency("a"), 12);
  two.h100.rows[0].forms = two.h200.rows[0].forms = {"@PT FFMA R#, R#, R#, R#"};
  two.run("latency.a").sass_hash = "composed";
  EXPECT_THAT(two.apart(), IsEmpty());
  two.h200.rows[0].forms = {};
  EXPECT_THAT(two.apart(), ElementsAre("latency.a")) << "a form is no window of its own";
}

/// Values that were chosen are set before the window, so its code does not show them.
TEST(TimedCode, OfChosenValuesIsKnownWithinOneCommitOnly) {
  Two two;
  set(two.latency("a"), 12);
  two.h100.rows[0].id = two.h200.rows[0].id = "fp32/fma.rn.f32[a=denormal]";
  EXPECT_THAT(two.apart(), ElementsAre("latency.a"));
  two.h100.provenance.commit = two.h200.provenance.commit;
  EXPECT_THAT(two.apart(), IsEmpty());
}

TEST(TimedCode, ThatARecordDoesNotSayIsNoOtherCode) {
  Two two;
  set(two.latency("a"), 12);
  two.run("latency.a").sass_hash = "";
  EXPECT_THAT(two.apart(), IsEmpty());
}

TEST(TimedCode, IsSaidOnThePageOfSeveralGpus) {
  Two two;
  set(two.latency("a"), 12);
  two.run("latency.a").sass_hash = "composed";
  EXPECT_EQ(instruction_words(two.h200, two.h100)["rows"][0]["other_code"],
            other_code_in_words(two.on_h200(), two.on_h100()));
  EXPECT_FALSE(instruction_words(two.h100, two.h100)["rows"][0].contains("other_code"));
}

}  // namespace
}  // namespace warpclock
