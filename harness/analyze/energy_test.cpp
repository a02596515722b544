#include "analyze/estimates.hpp"
#include "base/lookup.hpp"
#include "base/testing/matchers.hpp"

namespace warpclock {
namespace {

constexpr double rest_w = 200;
constexpr std::int64_t blocks = 100;

/// One round's window of `n` units of work, each of which takes `pj` in every block.
Series series_of(std::int64_t n, double pj, double window_s) {
  const double watts = rest_w + pj * 1e-12 * static_cast<double>(n * blocks) / window_s;
  return {.n = n, .cycles = {1000}, .watts = {watts, watts}, .window_s = {window_s, window_s}, .blocks = blocks};
}

Measure energy_per(std::int64_t work) { return {"energy", Method::Energy, "pJ", work, "", "of a lane"}; }

TEST(Energy, OfWorkIsWhatItAddsToThatOfTheBoard) {
  constexpr double pj = 8e9, window_s = 5e-3;
  const Samples samples = {series_of(40, pj, window_s), series_of(80, pj, window_s), series_of(120, pj, window_s)};
  const Analysis found = estimates({energy_per(2'000'000'000)}, {samples, {}, {}, {}});
  ASSERT_EQ(found.estimates.size(), 1);
  EXPECT_NEAR(found.estimates[0].value, 4, 1e-6);
  EXPECT_NEAR(found.estimates[0].low, 4, 1e-3);
  EXPECT_NEAR(found.estimates[0].high, 4, 1e-3);
  EXPECT_EQ(found.estimates[0].unit, "pJ");
  EXPECT_EQ(found.estimates[0].method, "energy");
  EXPECT_EQ(found.estimates[0].note, "of a lane");
  EXPECT_EQ(found.estimates[0].n, 6);
}

TEST(Energy, OfLongerWindowsIsWithoutWhatTheBoardTakesMeanwhile) {
  constexpr double pj = 8e9;
  const Samples samples = {series_of(0, pj, 5e-3), series_of(40, pj, 5.1e-3), series_of(80, pj, 5.3e-3)};
  const Analysis found = estimates({energy_per(1'000'000'000)}, {samples, {}, {}, {}});
  ASSERT_EQ(found.estimates.size(), 1);
  EXPECT_NEAR(found.estimates[0].value, 8, 1e-6);
}

TEST(Energy, IsUnknownIfLengthsDecideIt) {
  const Samples samples = {series_of(40, 1e9, 5e-3), series_of(80, 1e9, 5e-3), series_of(120, 1e9, 6.5e-3)};
  EXPECT_THAT(failure_of(energy_samples(energy_per(1), samples)),
              IsError("no-value", "energy: windows of repeat count 120 are 30 % longer than those of 40"));
}

TEST(Energy, IsUnknownIfItWasNotCounted) {
  Samples samples = {series_of(40, 1e9, 5e-3), series_of(80, 1e9, 5e-3), series_of(120, 1e9, 5e-3)};
  samples[1].watts.clear();
  const Analysis found = estimates({energy_per(1), {"power", Method::Power, "W", 1, "", ""}}, {samples, {}, {}, {}});
  EXPECT_TRUE(found.estimates.empty());
  ASSERT_EQ(found.problems.size(), 2);
  EXPECT_EQ(found.problems[1].text, "power: the device does not count the energy of the board, or not often enough");
}

TEST(Power, IsThatAtTheSmallestRepeatCount) {
  Samples samples = {series_of(80, 1e9, 5e-3), series_of(40, 1e9, 5e-3)};
  samples[1].watts = {210, 220};
  const auto found = must(power_of_board({"power", Method::Power, "W", 1, "", ""}, samples));
  EXPECT_DOUBLE_EQ(found.value, 215);
  EXPECT_DOUBLE_EQ(found.low, 210);
  EXPECT_DOUBLE_EQ(found.high, 220);
}

}  // namespace
}  // namespace warpclock
