#include "predict/program/dram_times.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "base/random.hpp"
#include "predict/memory/access_pattern.hpp"

namespace warpclock {
namespace {

/// How long the last of so many lines takes on the average, each drawn for itself.
double last_of(const DramTimes& times, int lines) {
  constexpr int rounds = 40'000;
  SplitMix64 dice(7);
  const auto between = [&] { return (static_cast<double>(dice.bits() >> 11) + 0.5) * 0x1p-53; };
  double sum = 0;
  for (int round = 0; round < rounds; ++round) {
    bool far = false;
    double late = 0;
    for (int line = 0; line < lines; ++line) {
      const DramDraw draw{between(), between()};
      far |= times.is_far(draw, 1), late = std::max(late, times.late(draw, 1));
    }
    sum += times.least + (far ? times.across : 0) + late;
  }
  return sum / rounds;
}

// The rows of an H200: `memory/hop_dram`, and the difference of two rows of `memory/halves`.
const std::map<double, double> rows = {{2, 77.8}, {4, 162.1}, {8, 260.4}, {16, 394.6}, {32, 574.6}};

TEST(DramTimes, AreThoseOfTheRows) {
  const DramTimes times = dram_times(398, 178, rows);
  EXPECT_NEAR(times.mean(), 398, 1e-9);
  EXPECT_NEAR(last_of(times, 1), 398, 2);
  for (const auto& [lines, later] : rows)
    EXPECT_NEAR(last_of(times, static_cast<int>(lines)) - 398, later, 0.1 * later) << lines << " lines";
}

TEST(DramTimes, OfSeveralLinesAtOnceAreThoseOfTheLast) {
  const DramTimes times = dram_times(398, 178, rows);
  constexpr int rounds = 40'000;
  SplitMix64 dice(8);
  double sum = 0;
  for (int round = 0; round < rounds; ++round) {
    const auto between = [&] { return (static_cast<double>(dice.bits() >> 11) + 0.5) * 0x1p-53; };
    const DramDraw draw{between(), between()};
    sum += times.least + (times.is_far(draw, 4) ? times.across : 0) + times.late(draw, 4);
  }
  EXPECT_NEAR(sum / rounds, last_of(times, 4), 3);
}

TEST(DramTimes, AreTheMeanWithoutRowsOfSeveral) {
  EXPECT_FALSE(dram_times(398, 178, {}).vary());
  EXPECT_EQ(dram_times(398, 178, {{2, 80}}).mean(), 398);
}

// Of 8 lines 1 KiB or 16 KiB apart, two or three and three or four come late by themselves; of 32 that are 16 KiB
// apart, fifteen.
TEST(DramTimes, LinesThatAreLateTogetherAreNearEachOther) {
  const auto groups = [](std::uint64_t lines, std::uint64_t apart) {
    constexpr std::uint64_t places = 512;
    double all = 0;
    for (std::uint64_t place = 0; place < places; ++place) {
      std::set<std::uint64_t> found;
      for (std::uint64_t line = 0; line < lines; ++line)
        found.insert(late_together((place * 1'000'003 * 256 + line * apart) / page_bytes));
      all += static_cast<double>(found.size());
    }
    return all / places;
  };
  EXPECT_EQ(groups(2, 16), 1);
  EXPECT_NEAR(groups(8, 1024), 2.4, 0.5);
  EXPECT_NEAR(groups(8, 16384), 3.7, 1);
  EXPECT_NEAR(groups(32, 16384), 15, 2.5);
}

}  // namespace
}  // namespace warpclock
