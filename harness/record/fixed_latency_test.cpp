#include "record/fixed_latency.hpp"

#include <gtest/gtest.h>

#include "base/testing/matchers.hpp"

namespace warpclock {
namespace {

InstructionRecord row_with(const std::vector<std::pair<std::int64_t, double>>& windows, double line,
                           std::optional<double> encoded, std::vector<std::pair<std::string, double>> via = {}) {
  InstructionRecord row;
  InstructionRun run;
  run.measure = "latency.a";
  run.verdict = verified_code;
  run.encoded_cycles = encoded;
  run.via = std::move(via);
  double links = 0;
  for (const auto& [opcode, cycles] : run.via) links += cycles;
  for (const auto& [n, cycles] : windows) run.samples[1].push_back({n, {cycles, cycles}});
  row.runs.push_back(run);
  row.estimates.push_back({"latency.a", line, line - 0.05, line + 0.05, "cycles", "slope", 6, ""});
  if (encoded) {
    const double alone = *encoded - links;
    row.estimates.push_back({"encoded.a", alone, alone, alone, "cycles", "encoded", 6, ""});
  }
  return row;
}

TEST(FixedLatency, IsTheWholeNumberThatIsEncodedAndInTheInterval) {
  // setp.lt.f32: the window of 24 copies ends two cycles earlier than the others.
  auto row = row_with({{6, 56}, {12, 104}, {24, 198}}, 3.881, 8, {{"SEL", 4}});
  state_fixed_latencies(row);
  const Estimate& latency = row.estimates[0];
  EXPECT_EQ(latency.value, 4);
  EXPECT_NEAR(latency.low, 198 / 12.0 - 104 / 12.0 - 4, 0.01);
  EXPECT_NEAR(latency.high, 4, 1e-9);
  EXPECT_THAT(latency.note, HasSubstr("the line through the windows has 3.88"));
  EXPECT_THAT(row.findings, IsEmpty());
  const InstructionRecord once = row;
  state_fixed_latencies(row);
  EXPECT_EQ(row, once);
}

TEST(FixedLatency, WithoutAnEncodedOneItIsTheOnlyWholeNumber) {
  auto row = row_with({{6, 260}, {12, 506}, {24, 996}}, 40.881, std::nullopt);
  state_fixed_latencies(row);
  EXPECT_EQ(row.estimates[0].value, 41);
  auto both = row_with({{6, 20}, {12, 52}, {24, 100}}, 4.381, std::nullopt);
  state_fixed_latencies(both);
  EXPECT_EQ(both.estimates[0].value, 4.381) << "4 and 5 are in [4, 5.33]";
  auto mixed = row_with({{6, 260}, {12, 506}, {24, 996}}, 40.881, std::nullopt);
  mixed.labels = {"alternates with HADD2"};
  state_fixed_latencies(mixed);
  EXPECT_EQ(mixed.estimates[0].value, 40.881) << "a mean of two opcodes is no whole number";
}

TEST(FixedLatency, AMeasuredDifferenceIsNoEndOfAWindow) {
  auto row = row_with({{6, 50}, {12, 98}, {24, 194}}, 8, 6);
  state_fixed_latencies(row);
  EXPECT_EQ(row.estimates[0].value, 8) << "each window says 8, whatever is encoded";
  auto noisy = row_with({{6, 56}, {12, 104}, {24, 198}}, 3.881, 4);
  noisy.runs[0].samples[1][0].cycles = {56, 60};
  state_fixed_latencies(noisy);
  EXPECT_EQ(noisy.estimates[0].value, 3.881);
}

TEST(FixedLatency, AnEncodedMeanOutsideTheIntervalIsExplained) {
  auto row = row_with({{6, 50}, {12, 98}, {24, 195}}, 8.0595, 7.8947);
  row.estimates[0].low = 8.034;
  row.estimates[0].high = 8.085;
  state_fixed_latencies(row);
  EXPECT_EQ(row.estimates[0].value, 8.0595);
  ASSERT_EQ(row.findings.size(), 1U);
  EXPECT_THAT(row.findings[0], StartsWith("latency.a: 8.06 cycles are measured and 7.89 encoded: ptxas makes"));
  state_fixed_latencies(row);
  EXPECT_EQ(row.findings.size(), 1U);
}

}  // namespace
}  // namespace warpclock
