#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include "capture/launch_ranges.hpp"

namespace warpclock {
namespace {

using ::testing::DoubleNear;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;

/// Launches, each after the one before it and the first after the last, and what L2 of 1,000 bytes has when one begins.
struct Launches {
  Capture capture;
  std::vector<AccessedRanges> ranges;

  explicit Launches(std::vector<AccessedRanges> of) : ranges(std::move(of)) {
    capture.launches.resize(ranges.size());
    for (std::size_t i = 0; i < ranges.size(); ++i)
      capture.launches[i].after = static_cast<std::int64_t>((i + ranges.size() - 1) % ranges.size());
  }
  [[nodiscard]] LeftInL2 all(std::size_t launch) const {
    const auto of = [&](std::size_t i) -> const AccessedRanges& { return ranges[i]; };
    return left_in_l2(capture, launch, of, 1000);
  }
  [[nodiscard]] std::map<int, double> left(std::size_t launch) const { return all(launch).parts; }
};

AccessedRange range(double bytes, std::optional<std::int64_t> ago, double stored = 0) { return {bytes, stored, ago}; }

TEST(LeftInL2, ALaunchThatComesAgainFindsWhatFits) {
  EXPECT_THAT(Launches({{{0, range(500, 1)}}}).left(0), ElementsAre(Pair(0, 1)));
  EXPECT_THAT(Launches({{{0, range(685, 1)}}}).left(0), ElementsAre(Pair(0, DoubleNear(0.5, 1e-9))));
  EXPECT_THAT(Launches({{{0, range(860, 1)}}}).left(0), ElementsAre(Pair(0, 0)));
}

TEST(LeftInL2, OtherLaunchesTakeItsPlace) {
  const auto left = [](double bytes) {
    return Launches({{{0, range(100, 2)}, {1, range(100, 1)}}, {{0, range(bytes, 0)}}}).left(0);
  };
  EXPECT_THAT(left(300), ElementsAre(Pair(0, 1), Pair(1, 1)));
  EXPECT_THAT(left(485), ElementsAre(Pair(0, DoubleNear(0.5, 1e-9)), Pair(1, 1))) << "the launch before has both";
  EXPECT_THAT(left(1170), ElementsAre(Pair(0, 0), Pair(1, DoubleNear(0.5, 1e-9))));
}

TEST(LeftInL2, WhatIsAccessedTwiceTakesOnePlace) {
  const auto left = [](std::int64_t ago) {
    std::vector<AccessedRanges> all(4, {{0, range(400, ago)}});
    all.push_back({{0, range(100, 5)}});
    return Launches(all).left(4);
  };
  EXPECT_THAT(left(1), ElementsAre(Pair(0, 1)));
  EXPECT_THAT(left(0), ElementsAre(Pair(0, 0))) << "new places each time";
}

TEST(LeftInL2, WhatNothingAccessedIsNotThere) {
  EXPECT_THAT(Launches({{{0, range(100, 0)}, {1, range(100, std::nullopt)}, {2, range(100, 5000)}}}).left(0),
              ElementsAre(Pair(0, 0), Pair(2, 0)))
      << "nothing is said of a pointer of which nothing is known";
  Launches first({{{0, range(100, 1)}}});
  first.capture.launches[0].after.reset();
  EXPECT_THAT(first.left(0), IsEmpty());
}

TEST(LeftInL2, WhatALaunchBeforeAccessedFromAPlaceBelowIsThere) {
  const auto left = [](double bytes, std::int64_t since) {
    AccessedRange inside = range(100, 0);
    inside.below = UsedBelow{150, since};
    return Launches({{{0, range(10, 0)}}, {{0, range(bytes, 0)}}, {{0, inside}}}).left(2);
  };
  EXPECT_THAT(left(250, 1), ElementsAre(Pair(0, 1)));
  EXPECT_THAT(left(249, 1), ElementsAre(Pair(0, 0))) << "not that far";
  EXPECT_THAT(left(250, 2), ElementsAre(Pair(0, 0))) << "another launch";
  EXPECT_THAT(left(250, 5000), ElementsAre(Pair(0, 0)));
}

TEST(LeftInL2, LaunchesThatLeadBackToThemselvesSayNothingOfWhatCameBefore) {
  EXPECT_THAT(Launches({{{0, range(10, 8)}}}).left(0), ElementsAre(Pair(0, 1)));
  EXPECT_THAT(Launches({{{0, range(10, 9)}}}).left(0), ElementsAre(Pair(0, 0)));
}

TEST(LeftInL2, WhatTheLastLaunchStoredMayBeInTheOtherHalf) {
  constexpr std::int64_t here = 0x1000, there = 0x2000;
  const auto apart = [&](AccessedRange before) {
    AccessedRange loaded = range(100, 1);
    loaded.address = here;
    return Launches({{{0, before}}, {{0, loaded}}}).all(1).apart;
  };
  const auto at = [](std::int64_t address, double bytes, double stored) {
    AccessedRange one = range(bytes, 1, stored);
    one.address = address;
    return one;
  };
  EXPECT_THAT(apart(at(here, 100, 100)), ElementsAre(Pair(0, 1)));
  EXPECT_THAT(apart(at(here, 100, 0)), IsEmpty()) << "it only loaded from there";
  EXPECT_THAT(apart(at(there, 100, 50)), ElementsAre(Pair(0, 1))) << "it may have been elsewhere that time";
  EXPECT_THAT(apart(at(there, 100, 49)), IsEmpty()) << "too few bytes";
  EXPECT_THAT(apart(at(here, 1270, 1270)), ElementsAre(Pair(0, DoubleNear(0.5, 1e-9)))) << "DRAM has the others";
}

TEST(LeftInL2, WhatWasStoredIsToBeWrittenBack) {
  const auto stored = [](double between) {
    return Launches({{{0, range(300, 1, 300)}}, {{0, range(between, 1)}}, {{0, range(1, 1)}}}).all(2).stored;
  };
  EXPECT_EQ(stored(100), 900) << "three times before L2 is full";
  EXPECT_EQ(stored(1300), 0) << "it has left L2";
}

TEST(CodeIsGone, WhereOtherKernelsHaveMoreThanTheCacheHolds) {
  // Kernels of 100 bytes, each launched after the one before it, and the first after the last.
  const auto gone = [](const std::vector<std::int64_t>& kernels, std::size_t launch, double room) {
    Capture capture;
    for (std::size_t i = 0; i < kernels.size(); ++i)
      capture.launches.push_back(
          {.kernel = kernels[i], .after = static_cast<std::int64_t>((i + kernels.size() - 1) % kernels.size())});
    return code_is_gone(
        capture, launch, [](std::int64_t) { return 100.0; }, room);
  };
  EXPECT_FALSE(gone({0}, 0, 150)) << "its own launch was before it";
  EXPECT_FALSE(gone({0, 1, 2}, 0, 300));
  EXPECT_TRUE(gone({0, 1, 2}, 0, 299));
  EXPECT_FALSE(gone({0, 1, 1, 1}, 0, 200)) << "the same code";
  EXPECT_FALSE(gone({0, 1, 2, 0}, 0, 200)) << "it is less long ago";
}

}  // namespace
}  // namespace warpclock
