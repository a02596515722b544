#include "answer/compare.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "base/testing/matchers.hpp"
#include "record/json/record_json.hpp"
#include "record/outline.hpp"
#include "record/testing/instructions.hpp"
#include "record/testing/machine.hpp"
#include "record/testing/record.hpp"

namespace warpclock {
namespace {

Record one_case(const std::string& method, const std::string& unit, double value, double half,
                std::optional<double> encoded = {}) {
  Record record;
  record.rows = {testing::example_case("a/b", {}, "X")};
  record.rows[0].window.encoded_cycles = encoded;
  record.rows[0].estimates = {{"number", value, value - half, value + half, unit, method, 45, ""}};
  return record;
}

/// Of records as they are written.
Comparison compared(Record before, Record after) {
  find_causes(before), find_causes(after);
  return compare(before, after);
}

Agreement agreement(const Record& a, const Record& b) {
  const Comparison comparison = compared(a, b);
  return comparison.disagreements.empty() ? Agreement::Same : comparison.disagreements.at(0).agreement;
}

TEST(Compare, ARecordAgreesWithItself) {
  const Record record = testing::example_record();
  const Comparison comparison = compared(record, record);
  EXPECT_TRUE(comparison.agree());
  EXPECT_GT(comparison.same, 40);
  EXPECT_EQ(comparison.varies + comparison.differs, 0);
}

TEST(Compare, FixedLatenciesMayDifferByATenthOfACycle) {
  const Record base = one_case("slope", "cycles", 24, 0, 24);
  EXPECT_EQ(agreement(base, one_case("slope", "cycles", 24.1, 0, 24)), Agreement::Same);
  EXPECT_EQ(agreement(base, one_case("slope", "cycles", 24.11, 0, 24)), Agreement::Differs);
  EXPECT_EQ(agreement(base, one_case("slope", "cycles", 24.11, 0.2, 24)), Agreement::Varies);
  EXPECT_EQ(agreement(base, one_case("slope", "cycles", 24.11, 0, {})), Agreement::Same) << "not fixed in both";
}

TEST(Compare, OtherCyclesMayDifferByHalfAPercent) {
  const Record base = one_case("slope", "cycles", 600, 1);
  EXPECT_EQ(agreement(base, one_case("slope", "cycles", 603, 1)), Agreement::Same);
  EXPECT_EQ(agreement(base, one_case("slope", "cycles", 604, 1)), Agreement::Differs);
  EXPECT_EQ(agreement(one_case("elapsed", "cycles", 600, 1), one_case("elapsed", "cycles", 597, 1)), Agreement::Same);
}

TEST(Compare, RatesMayDifferByHalfAPercent) {
  const Record base = one_case("rate", "1/clk/SM", 32, 0.01);
  EXPECT_EQ(agreement(base, one_case("rate", "1/clk/SM", 31.84, 0.01)), Agreement::Same);
  EXPECT_EQ(agreement(base, one_case("rate", "1/clk/SM", 31.8, 0.01)), Agreement::Differs);
}

TEST(Compare, RatesInBytesMayDifferByTwoPercent) {
  const Record base = one_case("rate", "B/clk/SM", 50, 0.01);
  EXPECT_EQ(agreement(base, one_case("rate", "B/clk/SM", 49.01, 0.01)), Agreement::Same);
  EXPECT_EQ(agreement(base, one_case("rate", "B/clk/SM", 48.9, 0.01)), Agreement::Differs);
}

TEST(Compare, ARowMaySayWhyItVaries) {
  const Record base = one_case("slope", "cycles", 600, 1);
  const Record wide = one_case("slope", "cycles", 604, 1.6), narrow = one_case("slope", "cycles", 604, 1.5);
  EXPECT_EQ(agreement(base, narrow), Agreement::Differs);
  EXPECT_EQ(agreement(base, wide), Agreement::Varies);
  EXPECT_EQ(agreement(wide, base), Agreement::Varies);
  EXPECT_TRUE(compared(base, wide).agree());
  EXPECT_EQ(compared(base, wide).disagreements[0].why, "its launches differ, the interval reaches 0.26 %");
  Record said = narrow;
  said.probes = {{"a/b", "a", "?", {}, "", {}, "the address decides"}};
  EXPECT_EQ(compared(said, base).disagreements[0].why, "the address decides");
}

TEST(Compare, AnIntervalExcusesThreeTimesItsReach) {
  const Record base = one_case("slope", "cycles", 600, 2);
  EXPECT_EQ(agreement(base, one_case("slope", "cycles", 606, 2)), Agreement::Varies);
  const Comparison further = compared(base, one_case("slope", "cycles", 607, 2));
  EXPECT_EQ(further.disagreements.at(0).agreement, Agreement::Differs);
  EXPECT_EQ(further.disagreements[0].why,
            "its launches differ, the interval reaches 0.33 %; this explains 6 of the 7 cycles");
  EXPECT_EQ(further.differs, 1);
  EXPECT_EQ(further.varies, 0);
  EXPECT_FALSE(further.agree());
}

TEST(Compare, AnotherSmClockExcusesAsMuchAsItChanged) {
  const auto at = [](double mhz, double cycles, std::optional<double> encoded = {}) {
    Record record = one_case("slope", "cycles", cycles, 0, encoded);
    record.rows[0].clock.sm_mhz = mhz;
    return record;
  };
  const Record base = at(1980, 600);
  EXPECT_EQ(compared(base, at(1999.8, 609)).disagreements[0].why, "the SM clock was 1980 and 2000 MHz");
  EXPECT_EQ(agreement(base, at(1999.8, 609)), Agreement::Varies)
      << "1 % of the clock and 0.5 % that runs may differ by";
  EXPECT_EQ(compared(base, at(1999.8, 610)).disagreements[0].why,
            "the SM clock was 1980 and 2000 MHz; this explains 9.15 of the 10 cycles");
  EXPECT_EQ(agreement(base, at(1999.8, 610)), Agreement::Differs);
  EXPECT_EQ(agreement(base, at(1981.5, 604)), Agreement::Differs) << "the clock is not known better than that";
  EXPECT_EQ(agreement(base, at(0, 604)), Agreement::Differs) << "the clock is not known";
  EXPECT_EQ(agreement(at(1980, 24, 24), at(1999.8, 24.2, 24)), Agreement::Differs) << "the SM alone determines it";
}

TEST(Compare, SomeInstructionsTakeAnotherTimeInEachProcess) {
  const auto row = [](const std::string& opcode, double value, const std::string& method = "slope") {
    Record record = one_case(method, method == "rate" ? "1/clk/SM" : "cycles", value, 0);
    record.rows[0].window.opcodes = {{opcode, 8}};
    return record;
  };
  EXPECT_EQ(agreement(row("MEMBAR.SC.SYS", 1241), row("MEMBAR.SC.SYS", 1402)), Agreement::Varies);
  EXPECT_EQ(compared(row("MEMBAR.SC.SYS", 1241), row("MEMBAR.SC.SYS", 1402)).disagreements[0].why,
            "MEMBAR.SC.SYS takes one of several times in each process");
  EXPECT_EQ(agreement(row("MEMBAR.SC.SYS", 1241), row("MEMBAR.SC.SYS", 4000)), Agreement::Differs);
  EXPECT_EQ(agreement(row("MEMBAR.SC.GPU", 658), row("MEMBAR.SC.GPU", 700)), Agreement::Differs);
  EXPECT_EQ(agreement(row("MEMBAR.SC.CTA", 9), row("MEMBAR.SC.CTA", 10)), Agreement::Differs);
  EXPECT_EQ(agreement(row("MEMBAR.SC.CTA", 10, "rate"), row("MEMBAR.SC.CTA", 22, "rate")), Agreement::Varies);
}

TEST(Compare, PointsThatARunAddsToACurveAreCounted) {
  Record record = one_case("slope", "cycles", 34, 0);
  record.probes = {{"a/b", "a", "?", {}, "kib", {{"number", FeatureQuery::What::Levels, "kib", {}}}, ""}};
  Record more = record;
  more.rows.push_back(more.rows[0]);
  more.rows[1].id = "a/b[kib=3]";
  EXPECT_EQ(compared(record, more).outcomes.size(), 1U);
  for (Record* each : {&record, &more}) each->probes[0].finds[0].within = 5;
  for (const Comparison& comparison : {compared(record, more), compared(more, record)}) {
    EXPECT_EQ(comparison.added, 1);
    EXPECT_TRUE(comparison.agree());
  }
}

TEST(Compare, WhatAProbeSaysExcusesHalfOfTheNumber) {
  Record said = one_case("counter", "B", 1000, 0);
  said.probes = {{"a/b", "a", "?", {}, "", {}, "the address decides"}};
  EXPECT_EQ(agreement(said, one_case("counter", "B", 1499, 0)), Agreement::Varies);
  EXPECT_EQ(agreement(said, one_case("counter", "B", 1501, 0)), Agreement::Differs);
  EXPECT_EQ(agreement(said, one_case("counter", "B", 3000, 0)), Agreement::Differs);
}

Record with_latency(double cycles, double rate = 128) {
  Record table = testing::example_instructions();
  for (Estimate& e : table.rows.at(0).estimates) {
    if (e.name.starts_with("latency.")) e.value = e.low = e.high = cycles;
    if (e.name == "throughput") e.value = e.low = e.high = rate;
    if (e.name == "interval" || e.name == "saturation") e.value *= 2;
  }
  return table;
}

TEST(Compare, SaysWhetherItIsTheSameGpu) {
  Record a = one_case("rate", "1/clk/SM", 32, 0.01), b = a;
  EXPECT_EQ(compared(a, b).gpu, "GPU not recorded");
  a.device.uuid = "GPU-1";
  EXPECT_EQ(compared(a, b).gpu, "GPU not recorded");
  b.device.uuid = "GPU-1";
  EXPECT_THAT(to_text(compare_sheet(compared(a, b)), Style(false)), HasSubstr("the same GPU\n"));
  b.device.uuid = "GPU-2";
  EXPECT_EQ(to_json(compare_sheet(compared(a, b))).at("gpu"), "another GPU");
}

TEST(Compare, TwoInstructionTables) {
  const Record base = with_latency(4);
  EXPECT_TRUE(compared(base, base).agree());
  EXPECT_GT(compared(base, base).same, 5);
  EXPECT_TRUE(compared(base, with_latency(4.1)).agree()) << "next to encoded cycles, a tenth of one";
  EXPECT_FALSE(compared(base, with_latency(4.2)).agree());
  const Comparison slower = compared(base, with_latency(4, 64));
  ASSERT_EQ(slower.disagreements.size(), 1U) << "the interval is the same number turned round";
  EXPECT_EQ(slower.disagreements[0].estimate, "throughput");
  EXPECT_EQ(slower.disagreements[0].id, base.rows[0].id);
}

TEST(Compare, TwoTablesOfMachineInstructions) {
  const Record base = testing::example_machine();
  EXPECT_TRUE(compared(base, base).agree());
  EXPECT_GT(compared(base, base).same, 2);
  Record other = base;
  const auto has_stall = [](const Row& row) { return estimate_in(row, "minimum_stall.0") != nullptr; };
  const auto row = std::ranges::find_if(other.rows, has_stall);
  ASSERT_NE(row, other.rows.end());
  Estimate& stall = *std::ranges::find(row->estimates, "minimum_stall.0", &Estimate::name);
  ++stall.value;
  const Comparison changed = compared(base, other);
  ASSERT_EQ(changed.disagreements.size(), 1U);
  EXPECT_EQ(changed.disagreements[0].id, row->id);
  EXPECT_EQ(changed.disagreements[0].estimate, stall.name);
  row->outcome = Outcome::Rejected;
  EXPECT_EQ(compared(base, other).outcomes.size(), 1U);
}

TEST(Compare, AFileOfTheOtherKindIsNamed) {
  const std::string result = to_json(testing::example_record()), table = to_json(testing::example_instructions());
  const auto record = parse_record(table, "b.json");
  ASSERT_FALSE(record);
  EXPECT_EQ(record.error().code, "record-kind");
  EXPECT_EQ(record.error().message(),
            "b.json: this is an instruction table (instructions.json); a result (result.json) is wanted");
  const auto rows = parse_record(result, "a.json", {{RecordFile::Instructions}});
  ASSERT_FALSE(rows);
  EXPECT_EQ(rows.error().message(),
            "a.json: this is a result (result.json); an instruction table (instructions.json) is wanted");
}

TEST(Compare, AnUnsteadyRowAgreesWithWhatItsRangeMeets) {
  Record unsteady = one_case("rate", "B/clk/SM", 26, 5);
  unsteady.rows[0].outcome = Outcome::Unsteady;
  EXPECT_TRUE(compared(unsteady, one_case("rate", "B/clk/SM", 32, 1)).agree());
  EXPECT_TRUE(compared(one_case("rate", "B/clk/SM", 20, 1), unsteady).agree());
  EXPECT_FALSE(compared(unsteady, one_case("rate", "B/clk/SM", 40, 1)).agree());
  Record other = unsteady;
  EXPECT_TRUE(compared(unsteady, other).agree());
  other.rows[0].estimates[0].low = 40;
  other.rows[0].estimates[0].high = 50;
  EXPECT_EQ(compared(unsteady, other).differs, 1);
  Record rejected = unsteady;
  rejected.rows[0].outcome = Outcome::Rejected;
  EXPECT_EQ(compared(unsteady, rejected).outcomes.size(), 1u);
}

TEST(Compare, AnUnsteadyRowGivesTheReasonOfItsProbe) {
  Record before = one_case("rate", "B/clk/SM", 26, 5);
  before.rows[0].outcome = Outcome::Unsteady;
  before.probes = {{.name = before.rows[0].probe, .varies = "L2 chooses"}};
  Record after = before;
  const auto move_to = [&](double value) {
    after.rows[0].estimates[0] = {"number", value, value, value, "B/clk/SM", "rate"};
  };
  move_to(38);
  EXPECT_EQ(compared(before, after).varies, 1);
  EXPECT_EQ(compared(before, after).disagreements.at(0).why, "L2 chooses");
  move_to(60);
  EXPECT_EQ(compared(before, after).differs, 1);
}

TEST(Compare, CountersByAPointAndFactsNotAtAll) {
  EXPECT_EQ(agreement(one_case("counter", "%", 2, 0), one_case("counter", "%", 3, 0)), Agreement::Same);
  EXPECT_EQ(agreement(one_case("counter", "%", 2, 0), one_case("counter", "%", 3.1, 0)), Agreement::Differs);
  EXPECT_EQ(agreement(one_case("counter", "1", 0.02, 0), one_case("counter", "1", 0.03, 0)), Agreement::Same);
  EXPECT_EQ(agreement(one_case("counter", "1", 0.02, 0), one_case("counter", "1", 0.04, 0)), Agreement::Differs);
  EXPECT_EQ(agreement(one_case("counter", "B", 1000, 0), one_case("counter", "B", 1011, 0)), Agreement::Differs);
  EXPECT_EQ(agreement(one_case("fact", "count", 1, 0), one_case("fact", "count", 1, 0)), Agreement::Same);
  EXPECT_EQ(agreement(one_case("fact", "count", 1, 0), one_case("fact", "count", 1.0001, 0)), Agreement::Differs);
}

TEST(Compare, OverheadIsNotCompared) {
  EXPECT_EQ(agreement(one_case("intercept", "cycles", 1, 0), one_case("intercept", "cycles", 99, 0)), Agreement::Same);
}

TEST(Compare, WhatIsNotANumberIsNeverTheSame) {
  const Record none = one_case("rate", "1/clk/SM", std::nan(""), 0);
  EXPECT_EQ(agreement(none, none), Agreement::Differs);
}

TEST(Compare, CasesOfOneRecordOnlyAndChangedOutcomesAreListed) {
  Record a = testing::example_record(), b = a;
  a.rows.erase(a.rows.begin());
  b.rows.erase(b.rows.begin() + 1);
  b.rows[1].outcome = Outcome::Failed;
  b.rows[2].estimates.clear();
  const Comparison comparison = compared(a, b);
  std::vector<std::string> changes;
  changes.reserve(comparison.outcomes.size());
  for (const OutcomeChange& c : comparison.outcomes) changes.push_back(c.id + ": " + c.before + " " + c.after);
  EXPECT_THAT(changes, ElementsAre("shuffle/latency[mode=idx,clamp=0x1f]: measured absent",
                                   "shuffle/latency[mode=up,clamp=0x1f]: measured failed",
                                   "shuffle/latency[mode=down,clamp=0x1f] latency: a number none",
                                   "baseline/empty: absent measured"));
  EXPECT_FALSE(comparison.agree());
}

TEST(Compare, OtherMachineCodeIsSaid) {
  const Record a = testing::example_record();
  Record b = a;
  b.rows[0].window.sass_hash = "other";
  const Comparison comparison = compared(a, b);
  EXPECT_THAT(comparison.other_code, ElementsAre("baseline/empty"));
  EXPECT_TRUE(comparison.agree());
  EXPECT_THAT(to_text(compare_sheet(comparison), Style(false)),
              HasSubstr("timed other machine code  1 case: baseline/empty\n"));
}

TEST(Compare, PrintsTheTableOfWhatDoesNotAgree) {
  const Comparison comparison =
      compared(one_case("rate", "1/clk/SM", 32, 0.01), one_case("rate", "1/clk/SM", 30, 0.01));
  EXPECT_EQ(to_text(compare_sheet(comparison), Style(false)),
            "  GPU                       GPU not recorded\n"
            "  agree                     0\n"
            "  vary for a stated reason  0\n"
            "  differ                    1\n"
            "  outcomes changed          0\n"
            "\n"
            "  case  number  before  after   change  allowed               verdict\n"
            "  a/b   number      32     30  -6.25 %  0.16 1/clk/SM (rate)  differs\n");
  const Json json = to_json(compare_sheet(comparison));
  EXPECT_EQ(json.at("differs"), 1);
  EXPECT_EQ(json.at("disagreements").at(0).at("after"), 30);
  EXPECT_EQ(json.at("disagreements").at(0).at("kind"), "rate");
}

}  // namespace
}  // namespace warpclock
