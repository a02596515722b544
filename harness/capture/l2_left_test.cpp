#include "capture/l2_left.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

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

AccessedRange range(std::int64_t begin, std::int64_t bytes) { return {begin, bytes, static_cast<double>(bytes)}; }

TEST(LeftInL2, ALaunchThatComesAgainFindsWhatFits) {
  EXPECT_THAT(Launches({{{0, range(0, 800)}}}).left(0), ElementsAre(Pair(0, 1)));
  EXPECT_THAT(Launches({{{0, range(0, 1000)}}}).left(0), ElementsAre(Pair(0, DoubleNear(0.5, 1e-9))));
  EXPECT_THAT(Launches({{{0, range(0, 1200)}}}).left(0), ElementsAre(Pair(0, 0)));
}

TEST(LeftInL2, WhatALaunchBeforeAccessedIsThere) {
  const Launches three({{{0, range(0, 300)}}, {{5, range(100, 300)}}, {{0, range(5000, 100)}}});
  EXPECT_THAT(three.left(1), ElementsAre(Pair(5, 1))) << "200 bytes by the first, all by itself before";
  EXPECT_THAT(three.left(2), ElementsAre(Pair(0, 1)));
}

TEST(LeftInL2, OtherLaunchesTakeItsPlace) {
  const auto left = [](std::int64_t between) {
    return Launches({{{0, range(0, 100)}, {1, range(1000, 100)}}, {{0, range(9000, between)}}}).left(0);
  };
  EXPECT_THAT(left(500), ElementsAre(Pair(0, 1), Pair(1, 1)));
  EXPECT_THAT(left(800), ElementsAre(Pair(0, DoubleNear(0.5, 1e-9)), Pair(1, DoubleNear(0.5, 1e-9))));
  EXPECT_THAT(left(1200), ElementsAre(Pair(0, 0), Pair(1, 0)));
}

TEST(LeftInL2, WhatIsAccessedTwiceTakesOnePlace) {
  std::vector<AccessedRanges> all(5, {{0, range(9000, 500)}});
  all.push_back({{0, range(0, 100)}});
  EXPECT_THAT(Launches(all).left(5), ElementsAre(Pair(0, 1)));
}

TEST(LeftInL2, WhatWasStoredIsToBeWrittenBack) {
  AccessedRange stored = range(0, 300);
  stored.stored = 300;
  const auto after = [&](std::int64_t loaded) {
    return Launches({{{0, stored}}, {{0, stored}}, {{0, range(1000, loaded)}}, {{0, range(5000, 1)}}}).all(3).stored;
  };
  EXPECT_EQ(after(100), 300) << "the second store goes to the same lines";
  EXPECT_EQ(after(1300), 0) << "it has left L2";
}

TEST(LeftInL2, WhatNothingAccessedIsNotThere) {
  Launches one({{{0, range(0, 100)}}, {{0, range(50, 100)}}});
  one.capture.launches[0].after.reset();
  EXPECT_THAT(one.left(0), IsEmpty()) << "nothing is known";
  EXPECT_THAT(one.left(1), ElementsAre(Pair(0, DoubleNear(0.5, 1e-9))));
}

}  // namespace
}  // namespace warpclock
