#include "base/lookup.hpp"
#include "base/testing/matchers.hpp"
#include "ptx/testing/described.hpp"
#include "record/instructions/instruction_assemble.hpp"
#include "record/testing/machine.hpp"

namespace warpclock {
namespace {

using testing::made_up;

Row fma_row() {
  Row row = testing::machine_row("@PT FFMA R#, R#, R#, R#", "FFMA R4, R5, R6, R7", {}, 2);
  testing::add_fixed(row, 0, "R5", 4);
  testing::add_fixed(row, 1, "R6", 5);
  testing::add_fixed(row, 2, "R7", 3);
  testing::add_encoded(row, 4);
  row.pipes = {"fma"};
  return row;
}

OneWord fma_word() { return {"@PT FFMA R#, R#, R#, R#", {{}, {0}, {1}, {2}}, {}}; }

Row row_of(const OneWord& word, const Row& form, const std::string& ptx = "fma.rn.f32 {d}, {a}, {b}, {c}") {
  Row row;
  answer_by_form(row, described(ptx).value(), word, form);
  return row;
}

double value_of(const Row& row, const std::string& name) {
  const Estimate* found = find_by(row.estimates, name, &Estimate::name);
  EXPECT_NE(found, nullptr) << name;
  return found == nullptr ? -1 : found->value;
}

TEST(OneWordRow, HasTheNumbersOfItsForm) {
  const Row row = row_of(fma_word(), fma_row());
  EXPECT_EQ(row.outcome, Outcome::Measured);
  EXPECT_THAT(row.forms, ElementsAre("@PT FFMA R#, R#, R#, R#"));
  EXPECT_EQ(value_of(row, "latency.a"), 4);
  EXPECT_EQ(value_of(row, "latency.b"), 5);
  EXPECT_EQ(value_of(row, "latency.c"), 3);
  EXPECT_EQ(value_of(row, "encoded"), 4);
  EXPECT_EQ(value_of(row, "interval"), 2);
  EXPECT_EQ(value_of(row, "throughput"), 64) << "32 lanes of 4 sub-partitions every 2 cycles";
  EXPECT_NEAR(value_of(row, "issue"), 2.05, 1e-9) << "of one warp";
  EXPECT_EQ(value_of(row, "saturation"), 16) << "4 warps with 4 chains";
  EXPECT_THAT(row.instruction.curve, SizeIs(4));
  EXPECT_NEAR(row.instruction.curve[0].rate, 32 / 2.05, 1e-9) << "one sub-partition";
  EXPECT_EQ(row.instruction.curve[3].rate, 64);
  EXPECT_THAT(row.pipes, ElementsAre("fma"));
  EXPECT_THAT(row.instruction.runs, IsEmpty());
}

TEST(OneWordRow, OfABarrierIsOfCopiesThatWaitForEachOther) {
  Row barrier = testing::machine_row("@PT BAR.SYNC.DEFER_BLOCKING #", "BAR.SYNC.DEFER_BLOCKING 0x0", {}, 14);
  for (IssueCell& cell : barrier.machine.cells) cell.stall = 8;
  const Row row = row_of({"@PT BAR.SYNC.DEFER_BLOCKING #", {{}}, {}}, barrier, "bar.sync 0");
  EXPECT_EQ(value_of(row, "interval"), 14);
  EXPECT_NEAR(value_of(row, "issue"), 14.05, 1e-9);
  EXPECT_THAT(row.instruction.curve, SizeIs(4));
}

TEST(OneWordRow, AnOperandThatIsReadTwiceHasTheLongerLatency) {
  const Row row = row_of({"@PT FFMA R#, R#, R#, R#", {{}, {0, 1}}, {}}, fma_row(), "sqrt.approx.f32 {d}, {a}");
  EXPECT_EQ(value_of(row, "latency.a"), 5);
}

TEST(OneWordRow, SaysWhyALatencyIsMissing) {
  Row form = fma_row();
  std::erase_if(form.estimates, [](const Estimate& one) { return one.name == "latency.1"; });
  form.machine.paths[1].note = "no stall count gave another result";
  const Row row = row_of(fma_word(), form);
  ASSERT_THAT(row.instruction.runs, SizeIs(1));
  EXPECT_EQ(row.instruction.runs[0].measure, "latency.b");
  EXPECT_FALSE(row.instruction.runs[0].verified());
  EXPECT_EQ(row.instruction.runs[0].text, "no stall count gave another result");
  EXPECT_EQ(find_by(row.estimates, "latency.b", &Estimate::name), nullptr);
}

TEST(OneWordRow, IsRejectedWithTheReasonOfItsForm) {
  Row form = fma_row();
  form.outcome = Outcome::Rejected;
  form.reason = {"compose", "read-back", "another word"};
  const Row row = row_of(fma_word(), form);
  EXPECT_EQ(row.outcome, Outcome::Rejected);
  EXPECT_EQ(row.reason.code, "read-back");
  EXPECT_EQ(row.reason.text, "another word");
  EXPECT_THAT(row.estimates, IsEmpty());
}

TEST(OneWordRow, OfTwoFormsHasTheMixtureBeside) {
  CompiledInstruction compiled;
  compiled.expansion.opcodes = {"HFMA2.MMA"};
  compiled.expansion.kinds = {{"half arithmetic", 1}};
  compiled.word = OneWord{"@PT HFMA2.MMA R#, R#, R#, R#", {{}, {0}, {1}, {2}}, {"@PT HFMA2 R#, R#, R#, R#"}};
  Trial trial;
  trial.experiment.question = Question::Throughput;
  trial.experiment.ilp = 4;
  trial.verdict.code = "verified";
  trial.kernels = {{6, "k6", "a"}, {12, "k12", "a"}, {24, "k24", "a"}};
  compiled.trials = {trial};
  Observation observation;
  for (const std::int64_t n : {6, 12, 24})
    observation.samples.push_back({n, std::vector<double>(5, 30 + 6.0 * static_cast<double>(n))});
  const Expected<Observation> seen = observation;
  const Row form = fma_row();
  const Row row =
      assemble_instruction({"packed/fma", "packed", "fma.rn.f16x2 {d}, {a}, {b}, {c}", "sm_90a"},
                           described("fma.rn.f16x2 {d}, {a}, {b}, {c}").value(), compiled, {{0, 4}}, &seen, &form);
  EXPECT_EQ(value_of(row, "interval"), 2) << "of the one form";
  EXPECT_NEAR(value_of(row, "mixture.interval"), 1.5, 1e-6) << "of both in turn";
  EXPECT_THAT(row.instruction.labels, Contains("alternates with HFMA2"));
  EXPECT_THAT(row.forms, SizeIs(2));
}

TEST(OneWordRow, IsSkippedWhereNothingRan) {
  CompiledInstruction compiled;
  compiled.expansion.opcodes = {"FFMA"};
  compiled.word = fma_word();
  const Row row = assemble_instruction({"fp32/fma", "fp32", "fma.rn.f32 {d}, {a}, {b}, {c}", "sm_90a"},
                                       described("fma.rn.f32 {d}, {a}, {b}, {c}").value(), compiled, {}, nullptr);
  EXPECT_EQ(row.outcome, Outcome::Skipped);
  EXPECT_EQ(row.reason.code, "not-run");
  EXPECT_THAT(row.estimates, IsEmpty());
}

}  // namespace
}  // namespace warpclock
