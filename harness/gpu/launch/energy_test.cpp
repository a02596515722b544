#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "gpu/launch/clock.hpp"

namespace warpclock {
namespace {

/// Readings every 2 ms of a counter that steps every `step_ms`, while the board uses 654 W.
std::vector<EnergyReading> readings_of(int milliseconds, int step_ms, int each_ms = 2) {
  constexpr double watts = 654;
  std::vector<EnergyReading> all;
  for (int at = 0; at <= milliseconds; at += each_ms)
    all.push_back({1'000'000'000 + std::int64_t{at} * 1'000'000, 5e6 + watts * (at / step_ms * step_ms) / 1e3});
  return all;
}

TEST(Energy, IsTakenFromStepToStep) {
  for (const int step_ms : {20, 100}) {
    const auto found = energy_between_steps(readings_of(460, step_ms));
    ASSERT_TRUE(found);
    EXPECT_NEAR(found->joules / found->seconds, 654, 0.01 * 654) << "not 654 x 400 / 460";
    EXPECT_GE(found->seconds, 0.29);
    EXPECT_LE(found->seconds, 0.46);
  }
}

TEST(Energy, IsUnknownOfAShortRow) {
  EXPECT_FALSE(energy_between_steps(readings_of(150, 20)));
  EXPECT_FALSE(energy_between_steps(readings_of(260, 100))) << "two steps, 100 ms apart";
  EXPECT_FALSE(energy_between_steps({}));
  EXPECT_FALSE(energy_between_steps(readings_of(400, 1000))) << "no step";
}

TEST(Energy, IsUnknownIfTheStepsWereNotSeenComing) { EXPECT_FALSE(energy_between_steps(readings_of(460, 20, 40))); }

TEST(EnergySampler, ReadsUntilItIsStopped) {
  double joules = 0;
  EnergySampler sampler([&]() -> std::optional<double> { return joules += 1; });
  const auto seen = sampler.stop();
  ASSERT_FALSE(seen.empty());
  EXPECT_EQ(seen.front().joules, 1);
  EXPECT_TRUE(std::ranges::is_sorted(seen, {}, &EnergyReading::host_ns));
  EXPECT_EQ(seen.back().joules, joules) << "nothing is read afterwards";
}

TEST(EnergySampler, ADeviceThatDoesNotCountIsAskedOnce) {
  int asked = 0;
  EnergySampler sampler([&]() -> std::optional<double> { return ++asked, std::nullopt; });
  EXPECT_THAT(sampler.stop(), testing::IsEmpty());
  EXPECT_EQ(asked, 1);
}

}  // namespace
}  // namespace warpclock
