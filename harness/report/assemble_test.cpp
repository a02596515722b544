#include "report/assemble.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "report/record_json.hpp"
#include "report/test_record.hpp"

namespace warpclock {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// A case that goes well at every stage, to be spoiled at one of them.
struct SlopedCase {
  Case one;
  Expected<Build> build = Build{};
  std::vector<Verdict> verdicts;
  Expected<Observation> observation = Observation{};
  std::map<std::string, double> metrics = {{"hit_rate", 95}};

  SlopedCase() {
    one.id = "shuffle/latency[mode=bfly]";
    one.probe = "shuffle/latency";
    one.family = "shuffle";
    one.arch = {90, true};
    one.parameters = {{"mode", "bfly"}};
    one.measures = {{"latency", Method::Slope, "cycles", 1, "", ""},
                    {"hit_rate", Method::Counter, "%", 1, "hit_rate", ""}};
    one.premises = {{"it hits", "hit_rate", Relation::AtLeast, 90}};
    one.label = "a label";
    for (const std::int64_t n : {16, 64, 128}) {
      Kernel kernel{n, "k" + std::to_string(n), {}};
      for (const char* text : {"CS2R R2, SR_CLOCKLO", "SHFL.BFLY R4, R4, R5, 0x1f", "CS2R R6, SR_CLOCKLO", "EXIT"}) {
        Instruction instruction;
        instruction.text = text;
        kernel.listing.instructions.push_back(instruction);
      }
      build->kernels.push_back(kernel);
      Verdict verdict;
      verdict.opcodes = {{"CS2R", 2}, {"SHFL.BFLY", static_cast<int>(n)}};
      verdict.open = 0;
      verdict.close = 2;
      verdict.sass_hash = std::to_string(n);
      verdicts.push_back(verdict);
    }
    build->kernels[0].listing.instructions[1].predicate = "P0";
    build->kernels[0].listing.instructions[1].control = {4, true, 2, -1, 0b100001};
    build->ptx = "shfl.sync.bfly.b32";
    observation->samples = testing::line_samples(23, 30, {16, 64, 128});
    observation->facts = {{"mismatches", 0}};
    observation->clock.sm_mhz = 1980;
  }

  CaseRecord record() const { return assemble(one, build, verdicts, &observation, metrics); }
};

void expect_reason(const CaseRecord& record, Outcome outcome, const std::string& stage, const std::string& code,
                   const std::string& text) {
  EXPECT_EQ(record.outcome, outcome);
  EXPECT_EQ(record.reason.stage, stage);
  EXPECT_EQ(record.reason.code, code);
  EXPECT_THAT(record.reason.text, HasSubstr(text));
  EXPECT_TRUE(record.estimates.empty());
  EXPECT_EQ(reanalyze(record), record);
}

TEST(Assemble, AMeasuredCaseHasAllThatIsKnown) {
  const CaseRecord record = SlopedCase().record();
  EXPECT_EQ(record.outcome, Outcome::Measured);
  EXPECT_EQ(record.reason, Reason{});
  EXPECT_EQ(record.id, "shuffle/latency[mode=bfly]");
  EXPECT_EQ(record.arch, "sm_90a");
  EXPECT_EQ(record.window.verdict, "verified");
  EXPECT_EQ(record.window.label, "a label");
  EXPECT_EQ(record.window.sass_hash.size(), 32u);
  EXPECT_THAT(record.window.sass, ElementsAre("B------:R-:W-:-:S00  CS2R R2, SR_CLOCKLO",
                                              "B0----5:R-:W2:Y:S04  @P0 SHFL.BFLY R4, R4, R5, 0x1f",
                                              "B------:R-:W-:-:S00  CS2R R6, SR_CLOCKLO"));
  EXPECT_EQ(record.window.opcodes[1].second, 16);
  EXPECT_EQ(record.ptx, "shfl.sync.bfly.b32");
  EXPECT_EQ(record.clock.sm_mhz, 1980);
  EXPECT_EQ(record.facts.at("mismatches"), 0);
  ASSERT_EQ(record.estimates.size(), 3u);
  EXPECT_NEAR(record.estimates[0].value, 23, 1e-9);
  EXPECT_EQ(record.estimates[2].value, 95);
  ASSERT_EQ(record.premises.size(), 1u);
  EXPECT_TRUE(record.premises[0].held);
  EXPECT_EQ(reanalyze(record), record);
}

TEST(Assemble, TheHashIsOverEveryRepeatCount) {
  SlopedCase flow;
  const std::string before = flow.record().window.sass_hash;
  flow.verdicts[2].sass_hash = "other";
  EXPECT_NE(flow.record().window.sass_hash, before);
}

TEST(Assemble, AnArchitectureWithoutTheInstructionIsSkipped) {
  SlopedCase flow;
  flow.one.skip = Error{"unsupported-arch", "stmatrix is sm_90 and later", ""};
  expect_reason(flow.record(), Outcome::Skipped, "plan", "unsupported-arch", "sm_90 and later");
}

TEST(Assemble, WhatDoesNotCompileFails) {
  SlopedCase flow;
  flow.build = fail("compile-error", "expected a ';'", "shuffle/latency.cu:7");
  expect_reason(flow.record(), Outcome::Failed, "compile", "compile-error", "shuffle/latency.cu:7: expected a ';'");
  flow.build = fail("unsupported-arch", "NVRTC says no");
  expect_reason(flow.record(), Outcome::Skipped, "plan", "unsupported-arch", "NVRTC says no");
}

TEST(Assemble, OneUnverifiedWindowRejectsAndIsTheOneShown) {
  SlopedCase flow;
  flow.verdicts[1].code = "count";
  flow.verdicts[1].text = "63 SHFL.BFLY instead of 64";
  const CaseRecord record = flow.record();
  expect_reason(record, Outcome::Rejected, "verify", "count", "at n = 64: 63 SHFL.BFLY instead of 64");
  EXPECT_EQ(record.window.verdict, "count");
  EXPECT_EQ(record.window.opcodes[1].second, 64);
  EXPECT_TRUE(record.samples.empty());
}

TEST(Assemble, WithoutMachineCodeNothingIsVerified) {
  SlopedCase flow;
  flow.verdicts.clear();
  expect_reason(flow.record(), Outcome::Rejected, "verify", "unverified", "no machine code");
  flow.build->is_ptx = true;
  expect_reason(flow.record(), Outcome::Rejected, "verify", "unverified", "newer CUDA Toolkit");
}

TEST(Assemble, ACaseThatNobodyRanIsSkipped) {
  const SlopedCase flow;
  expect_reason(assemble(flow.one, flow.build, flow.verdicts, nullptr, {}), Outcome::Skipped, "run", "not-run",
                "not run");
}

TEST(Assemble, WhatTheDeviceDidNotAnswerFails) {
  for (const std::string code : {"watchdog", "fault", "worker-died", "launch"}) {
    SlopedCase flow;
    flow.observation = fail(code, "it went wrong");
    const CaseRecord record = flow.record();
    expect_reason(record, Outcome::Failed, "run", code, "it went wrong");
    EXPECT_EQ(record.window.verdict, "verified");
  }
}

TEST(Assemble, ACaseForWhichTheDeviceHasNoRoomIsSkipped) {
  SlopedCase flow;
  flow.observation = fail("memory", "the device has no 1073741824 bytes of memory left");
  expect_reason(flow.record(), Outcome::Skipped, "run", "memory", "1073741824 bytes");
}

TEST(Assemble, ABrokenPremiseRejectsWithTheValueSeen) {
  SlopedCase flow;
  flow.metrics["hit_rate"] = 51.2;
  const CaseRecord record = flow.record();
  expect_reason(record, Outcome::Rejected, "premise", "premise-broken", "should be at least 90, was 51.2");
  EXPECT_FALSE(record.samples.empty());
  EXPECT_FALSE(record.premises[0].held);
}

TEST(Assemble, WithoutCountersTheRestGoesOn) {
  SlopedCase flow;
  flow.metrics.clear();
  flow.observation->counters_missing = "no permission";
  const CaseRecord record = flow.record();
  EXPECT_EQ(record.outcome, Outcome::Measured);
  EXPECT_EQ(record.estimates.size(), 2u);
  EXPECT_FALSE(record.premises[0].known);
  EXPECT_EQ(record.premises[0].why_unknown, "no permission");

  flow.one.measures.erase(flow.one.measures.begin());
  expect_reason(flow.record(), Outcome::Skipped, "counters", "counters-missing", "no permission");
}

TEST(Assemble, AMeasureWithoutANumberRejects) {
  SlopedCase flow;
  flow.observation->samples.pop_back();
  expect_reason(flow.record(), Outcome::Rejected, "analyze", "no-slope", "there are 2");
  flow.observation->samples.push_back({128, {90000}});
  expect_reason(flow.record(), Outcome::Rejected, "analyze", "nonlinear", "n = 64");
}

TEST(Assemble, WhatMayBeUnsteadyIsNotRejected) {
  Flow flow;
  flow.observation->samples = {{16, {100, 100, 100}}, {64, {4000, 4000, 4000}}, {128, {6000, 6000, 6000}}};
  EXPECT_EQ(flow.record().outcome, Outcome::Rejected);
  flow.one.measures[0].unsteady = "a cache fills";
  const CaseRecord record = flow.record();
  EXPECT_EQ(record.outcome, Outcome::Unsteady);
  EXPECT_EQ(record.reason.code, "unsteady");
  EXPECT_THAT(record.reason.text, HasSubstr("a cache fills"));
  ASSERT_FALSE(record.estimates.empty());
  EXPECT_LT(record.estimates[0].low, record.estimates[0].high);
  EXPECT_EQ(reanalyze(record), record);
  const auto read = parse_case_record(to_json_line(record));
  ASSERT_TRUE(read) << read.error().text;
  EXPECT_EQ(*read, record);
}

TEST(Assemble, ARateAboveItsLimitRejects) {
  Flow flow;  // 23 cycles a repeat
  flow.one.measures = {{"rate", Method::Rate, "B/clk/SM", 2944, "", ""}};
  flow.one.measures[0].limit = {128, false, "32 banks of 4 bytes"};
  const CaseRecord held = flow.record();
  EXPECT_EQ(held.outcome, Outcome::Measured) << held.reason.text;
  ASSERT_EQ(held.premises.size(), 2u);
  EXPECT_TRUE(held.premises[1].held);
  flow.one.measures[0].work += 23;
  const CaseRecord record = flow.record();
  EXPECT_EQ(record.outcome, Outcome::Rejected);
  EXPECT_EQ(record.reason.code, "premise-broken");
  EXPECT_THAT(record.reason.text, HasSubstr("rate is at most 128 B/clk/SM: 32 banks of 4 bytes; was 129"));
  EXPECT_TRUE(record.estimates.empty());
  EXPECT_EQ(reanalyze(record), record);
}

TEST(Reanalyze, TrustsNoOutcomeThatTheEvidenceDoesNotGive) {
  CaseRecord record = SlopedCase().record();
  record.estimates[0].value = 1;
  EXPECT_NEAR(reanalyze(record).estimates[0].value, 23, 1e-9);
  record.window.verdict = "folded";
  EXPECT_EQ(reanalyze(record).outcome, Outcome::Rejected);
  EXPECT_TRUE(reanalyze(record).estimates.empty());
}

TEST(Reanalyze, GivesWhatIsStoredByteForByte) {
  const auto record = parse_record(to_json(testing::example_record()));
  ASSERT_TRUE(record);
  Record again = *record;
  for (CaseRecord& one : again.cases) one = reanalyze(std::move(one));
  EXPECT_EQ(to_json(again), to_json(*record));
}

TEST(ExampleRecord, HoldsEveryKindOfRow) {
  std::map<std::string, int> reasons;
  for (const CaseRecord& one : testing::example_record().cases) ++reasons[one.reason.code];
  for (const char* code : {"", "open-window", "premise-broken", "nonlinear", "unsupported-arch", "counters-missing",
                           "watchdog", "launch"}) {
    EXPECT_EQ(reasons.count(code), 1u) << code;
  }
}

TEST(SassLines, LeaveTheMiddleOfALongWindowOut) {
  SlopedCase flow;
  auto& instructions = flow.build->kernels[0].listing.instructions;
  instructions.insert(instructions.begin() + 1, 1000, instructions[1]);
  flow.verdicts[0].close = instructions.size() - 2;
  const CaseRecord record = flow.record();
  ASSERT_EQ(record.window.sass.size(), 401u);
  EXPECT_EQ(record.window.sass[200], "... 603 more instructions ...");
  EXPECT_THAT(record.window.sass.back(), HasSubstr("CS2R R6"));
}

}  // namespace
}  // namespace warpclock
