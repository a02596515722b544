#include "report/svg.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "base/testing/matchers.hpp"

namespace warpclock {
namespace {

using ::testing::Ge, ::testing::Le;

constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

TEST(Coordinate, HasOneDecimalAtMostAndNoOddities) {
  EXPECT_EQ(coordinate(12), "12");
  EXPECT_EQ(coordinate(12.46), "12.5");
  EXPECT_EQ(coordinate(-0.04), "0");
  EXPECT_EQ(coordinate(not_a_number), "0");
  EXPECT_EQ(coordinate(1e300), "1000000");
}

TEST(Ticks, AreRoundAndCoverTheRange) {
  EXPECT_THAT(nice_ticks(0, 32, 5), ElementsAre(0, 5, 10, 15, 20, 25, 30, 35));
  EXPECT_THAT(nice_ticks(0, 1011, 5), ElementsAre(0, 200, 400, 600, 800, 1000, 1200));
  EXPECT_THAT(nice_ticks(0, 0, 5).front(), 0);
  EXPECT_THAT(nice_ticks(-3, 3, 3), ElementsAre(-4, -2, 0, 2, 4));
  EXPECT_THAT(binary_ticks(1, 32, 8), ElementsAre(1, 2, 4, 8, 16, 32));
  EXPECT_THAT(binary_ticks(3, 5, 8), ElementsAre(2, 4, 8));
  for (const auto& [low, high] :
       {std::pair{0.0, 1e-9}, {5.0, 5.0}, {-2.0, -1.0}, {0.0, 1e140}, {not_a_number, 3.0}, {4.0, 1.0}}) {
    const std::vector<double> ticks = nice_ticks(low, high, 5);
    ASSERT_GE(ticks.size(), 2u);
    EXPECT_LE(ticks.size(), 12u);
    for (std::size_t i = 1; i < ticks.size(); ++i) EXPECT_GT(ticks[i], ticks[i - 1]);
    if (!std::isnan(low) && low <= high) {
      EXPECT_THAT(ticks.front(), Le(low));
      EXPECT_THAT(ticks.back(), Ge(high));
    }
  }
}

TEST(Ticks, AreLabelledForReaders) {
  EXPECT_EQ(tick_label(65536, true), "64Ki");
  EXPECT_EQ(tick_label(65536, false), "65536");
  EXPECT_EQ(tick_label(1.5 * 1024 * 1024, true), "1.5Mi");
  EXPECT_EQ(tick_label(512, true), "512");
  EXPECT_EQ(tick_label(0.25, false), "0.25");
  EXPECT_EQ(tick_label(-0.0, false), "0");
  EXPECT_EQ(place_label(235939.9, true), "230.4Ki");
  EXPECT_EQ(place_label(36387546, true), "34.7Mi");
  EXPECT_EQ(place_label(33.46, true), "33.5");
  EXPECT_EQ(place_label(2048, false), "2048");
}

TEST(Shorten, CutsBetweenCharacters) {
  EXPECT_EQ(shorten("L2::evict_last", 20), "L2::evict_last");
  EXPECT_EQ(shorten("abcdef", 4), "abc\xE2\x80\xA6");
  EXPECT_EQ(shorten("\xC3\xA4\xC3\xB6\xC3\xBC\xC3\x9F", 3), "\xC3\xA4\xC3\xB6\xE2\x80\xA6");
  EXPECT_EQ(shorten("abcd", 4), "abcd");
}

}  // namespace
}  // namespace warpclock
