#include <gtest/gtest.h>

#include "base/lookup.hpp"
#include "base/testing/matchers.hpp"
#include "gpu/launch/clock.hpp"

namespace warpclock {
namespace {

// Waits seen on an H200, alone and during a loop of matrix products.
TEST(Sharing, OneLateHostIsNoSharedGpu) {
  const std::vector<double> waits = {2400, 980, 21};
  std::size_t measurements = 0;
  const auto measure = [&]() -> Expected<ClockMeasurement> {
    return ClockMeasurement{1980, 0.1, waits.at(++measurements)};
  };
  EXPECT_EQ(shortest_wait_us(waits[0], measure).value(), 21);
  EXPECT_EQ(measurements, 2U);
  measurements = 0;
  EXPECT_EQ(shortest_wait_us(58, measure).value(), 58);
  EXPECT_EQ(measurements, 0U) << "a wait that is none costs no further measurement";
}

TEST(Sharing, WaitsOfASliceEachTime) {
  const auto measure = []() -> Expected<ClockMeasurement> { return ClockMeasurement{1600, 0.1, 2072.5}; };
  EXPECT_EQ(shortest_wait_us(2451, measure).value(), 2072.5);
  const auto faulty = []() -> Expected<ClockMeasurement> { return fail("fault", "gone"); };
  EXPECT_FALSE(shortest_wait_us(2451, faulty));
}

ClockReading reading(double wait_us, double pause_us, int others) {
  ClockReading clock;
  clock.sm_mhz = 1980;
  clock.wait_us = wait_us;
  clock.pause_us = pause_us;
  clock.others = others;
  return clock;
}

double sign_us(const ClockReading& clock, const Samples& samples) {
  const auto sign = shared_sign(clock, samples);
  return sign ? sign->us : 0;
}

TEST(Sharing, SignsOfARow) {
  const Samples steady = {{256, {64000, 64100, 64216}}};
  EXPECT_EQ(sign_us(reading(59, 2, 0), steady), 0);
  EXPECT_EQ(sign_us(reading(59, 2, 1), steady), 0) << "a process that does nothing";
  EXPECT_EQ(sign_us(reading(2441, 0, 0), steady), 2441);
  EXPECT_EQ(sign_us(reading(20, 2438, 0), steady), 2438);
  const Samples interrupted = {{64, {17646, 17700, 17650}}, {256, {64216, 4122240, 64300}}};
  EXPECT_NEAR(sign_us(reading(20, 0, 1), interrupted), 2049, 1);
  EXPECT_EQ(sign_us(reading(20, 0, 0), interrupted), 0) << "the host may be late too";
  EXPECT_FALSE(shared_sign({}, {}));
}

TEST(Sharing, OwnProcessIsLeftOutUnderWhateverNumber) {
  const GpuProcess own{751, "compute", "warpclock", {}}, python{915, "compute", "python3", 916455424.0};
  const auto pids = [](const std::vector<GpuProcess>& all) { return mapped(all, &GpuProcess::pid); };
  EXPECT_THAT(pids(other_processes({python, own}, 751, {python})), ElementsAre(915));
  EXPECT_THAT(pids(other_processes({own}, 751, {})), ElementsAre());
  EXPECT_THAT(pids(other_processes({python, own}, 12, {python})), ElementsAre(915)) << "of another namespace";
  EXPECT_THAT(pids(other_processes({python}, 12, {python})), ElementsAre(915));
  EXPECT_EQ(to_string(python), "python3 (process 915, compute, 874 MiB)");
  EXPECT_EQ(to_string(GpuProcess{7, "mps", "", {}}), "unnamed (process 7, mps)");
}

}  // namespace
}  // namespace warpclock
