#include "measure/machine/machine_fit.hpp"

#include <list>
#include <tuple>

#include "base/testing/matchers.hpp"

namespace warpclock {
namespace {

using Kind = MachineWindow::Kind;

/// Samples together with the windows to which they point.
struct Given {
  std::list<MachineWindow> windows;
  std::vector<MachineSample> samples;

  void add(MachineWindow window, double cycles, std::string digest = {}) {
    const std::int64_t n = window.n;
    windows.push_back(std::move(window));
    samples.push_back({&windows.back(), {n, {cycles, cycles}}, std::move(digest)});
  }
};

TEST(LaunchesDiffer, TheLongestWindowsDecide) {
  Given given;
  given.add({.kind = Kind::Issue, .n = 16, .warps = 8}, 400);
  given.add({.kind = Kind::Issue, .n = 64, .warps = 8}, 1600);
  given.add({.kind = Kind::Chain, .n = 128, .warps = 8}, 1600);
  given.samples[0].series.cycles = {400, 500};
  given.samples[2].series.cycles = {1600, 2000};
  EXPECT_FALSE(launches_differ(given.samples)) << "a short window, and a chain";
  given.samples[1].series.cycles = {1600, 1610};
  EXPECT_FALSE(launches_differ(given.samples));
  given.samples[1].series.cycles = {1600, 1660};
  EXPECT_TRUE(launches_differ(given.samples));
}

Given stale(const std::vector<int>& wrong) {
  Given given;
  for (int stall = 1; stall <= 15; ++stall) {
    for (const int n : {7, 8}) {
      const bool is_wrong = n == 8 && std::ranges::count(wrong, stall) > 0;
      given.add({.kind = Kind::Stale, .source = 1, .n = n, .stall = stall, .warps = quiet_warps}, 0,
                is_wrong ? "other"
                : n == 7 ? "seven"
                         : "eight");
    }
  }
  return given;
}

TEST(StaleReads, TheLeastRightStallCountIsBehindTheLastWrongOne) {
  const StaleReads reads = stale_reads(stale({1, 2, 3}).samples, {.source = 1});
  EXPECT_EQ(reads.least_right, 4);
  EXPECT_THAT(reads.wrong, ElementsAre(1, 2, 3));
  EXPECT_THAT(reads.note, IsEmpty());
}

TEST(StaleReads, AStallCountThatIsRightBelowAWrongOneDoesNotCount) {
  EXPECT_EQ(stale_reads(stale({1, 5}).samples, {.source = 1}).least_right, 6);
}

TEST(StaleReads, WhatWasNotTriedIsNotRight) {
  Given given;
  for (const int stall : {1, 2, 6, 15}) {
    given.add({.kind = Kind::Stale, .n = 7, .stall = stall, .warps = quiet_warps}, 0, stall < 15 ? "stale" : "right");
  }
  const StaleReads reads = stale_reads(given.samples, {});
  EXPECT_FALSE(reads.least_right);
  EXPECT_THAT(reads.note, HasSubstr("a stall count of 6 is not enough"));
}

TEST(StaleReads, WhereNothingIsWrongNothingIsKnown) {
  const StaleReads reads = stale_reads(stale({}).samples, {.source = 1});
  EXPECT_FALSE(reads.least_right);
  EXPECT_THAT(reads.note, HasSubstr("the minimum cannot be observed"));
}

TEST(StaleReads, WhereTheLargestButOneIsWrongTheLargestIsNotTrusted) {
  const StaleReads reads = stale_reads(stale({13, 14}).samples, {.source = 1});
  EXPECT_FALSE(reads.least_right);
  EXPECT_THAT(reads.note, HasSubstr("a stall count of 14 is not enough"));
}

TEST(StaleReads, WhatComputesDifferentThingsEachTimeIsNoWitness) {
  Given given = stale({1, 2});
  for (MachineSample& sample : given.samples) {
    if (sample.window->stall == 15) sample.digest.clear();
  }
  EXPECT_THAT(stale_reads(given.samples, {.source = 1}).note, HasSubstr("from launch to launch"));
}

TEST(StaleReads, OneKindOfDataIsEnoughToShowOne) {
  Given given;
  for (int stall = 1; stall <= 15; ++stall) {
    given.add({.kind = Kind::Stale, .n = 7, .stall = stall, .warps = quiet_warps, .data = 0}, 0, "hides it");
    given.add({.kind = Kind::Stale, .n = 7, .stall = stall, .warps = quiet_warps, .data = 1}, 0,
              stall < 5 ? "stale" : "right");
    given.add({.kind = Kind::Stale, .n = 7, .stall = stall, .warps = quiet_warps, .data = 2}, 0, "");
    given.add({.kind = Kind::Stale, .n = 7, .stall = stall, .warps = 16}, 0, stall < 8 ? "stale" : "right");
  }
  EXPECT_EQ(stale_reads(given.samples, {}).least_right, 5);
  EXPECT_EQ(stale_reads(given.samples, {.warps = 16}).least_right, 8);
}

TEST(StaleReads, WhatDoesNotWaitForItsScoreboardIsTooShort) {
  Given given;
  for (const int stall : {1, 2, 4, 8, 15}) {
    given.add({.kind = Kind::Stale, .n = 7, .stall = stall, .warps = quiet_warps}, stall < 2 ? 20 : 200, "same");
  }
  EXPECT_FALSE(stale_reads(given.samples, {}).least_right);
  EXPECT_EQ(stale_reads(given.samples, {.scoreboard = true}).least_right, 2);
}

TEST(IssueCells, AreCyclesOfASubPartition) {
  Given given;
  for (const int n : {16, 32, 48, 64}) {
    given.add({.kind = Kind::Issue, .n = n, .stall = 1, .warps = 1}, 20 + 6.0 * n);
    given.add({.kind = Kind::Issue, .n = n, .stall = 1, .warps = 8}, 40 + 8.0 * n);
    given.add({.kind = Kind::Issue, .n = n, .stall = 1, .warps = 16}, n < 64 ? 40 + 16.0 * n : 4000);
  }
  const std::vector<IssueCell> cells = issue_cells(given.samples);
  ASSERT_EQ(cells.size(), 3);
  EXPECT_EQ(cells[0].warps, 1);
  EXPECT_DOUBLE_EQ(cells[0].cycles, 6);
  EXPECT_DOUBLE_EQ(cells[1].cycles, 4) << "two warps on each of the four";
  EXPECT_LT(cells[1].low, 4) << "the warps are not in step";
  EXPECT_EQ(cells[2].cycles, 0);
  EXPECT_THAT(cells[2].note, HasSubstr("do not grow in a line"));
  ASSERT_EQ(cells[2].curve.size(), 4) << "the curve is kept";
  const auto interval = must(issue_interval(cells));
  EXPECT_DOUBLE_EQ(interval.value, 4);
  EXPECT_EQ(interval.note, "8 warps");
}

TEST(IssueCells, ALineThatIsTooFlatDoesNotCount) {
  Given given;
  // HMMA.1688.F16 on an H100, in loops of 8 trips.
  for (const auto& [n, of_four, of_eight] : {std::tuple(128, 927, 1377), {320, 1695, 2870}, {512, 2463, 4371}}) {
    given.add({.kind = Kind::Issue, .n = n, .stall = 1, .warps = 4}, of_four);
    given.add({.kind = Kind::Issue, .n = n, .stall = 1, .warps = 8}, of_eight);
  }
  const auto interval = must(issue_interval(issue_cells(given.samples)));
  EXPECT_DOUBLE_EQ(interval.value, 4);
  EXPECT_EQ(interval.note, "4 warps");
}

TEST(IssueCells, FewWarpsThatDoNotKeepMemoryBusyDoNotCount) {
  Given given;
  // LDGSTS.E.BYPASS.128 on an H200; the line of 16 warps bends.
  for (const auto& [n, of_eight, of_sixteen] :
       {std::tuple(128, 6375.33, 8836.33), {320, 21398.83, 26333.29}, {512, 36394.42, 45718.29}}) {
    given.add({.kind = Kind::Issue, .n = n, .stall = 1, .warps = 8}, of_eight);
    given.add({.kind = Kind::Issue, .n = n, .stall = 1, .warps = 16}, of_sixteen);
  }
  const auto cells = issue_cells(given.samples);
  EXPECT_THAT(cells[1].note, Not(IsEmpty()));
  EXPECT_EQ(must(issue_interval(cells)).note, "16 warps");
}

TEST(IssueCells, OneWarpAloneGivesNoInterval) {
  Given given;
  for (const int n : {16, 32, 48}) given.add({.kind = Kind::Issue, .n = n, .warps = 1}, 6.0 * n);
  EXPECT_FALSE(issue_interval(issue_cells(given.samples)));
}

}  // namespace
}  // namespace warpclock
