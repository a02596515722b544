#include "predict/memory/atomic_places.hpp"

#include <gtest/gtest.h>

#include "base/random.hpp"
#include "execute/bank_turns.hpp"

namespace warpclock {
namespace {

void touch(AtomicPlaces& places, std::uint32_t block, const auto& address_of_lane) {
  LaneAddresses addresses{};
  for (std::size_t lane = 0; lane < warp_lanes; ++lane) addresses[lane] = address_of_lane(lane);
  places.touch({.block = {block, 0, 0}}, all_lanes, addresses);
}

TEST(AtomicPlaces, BlocksAtOneWordMeetThere) {
  AtomicPlaces places;
  for (std::uint32_t block = 0; block < 10; ++block)
    touch(places, block, [](std::size_t) { return std::uint64_t{4096}; });
  const AtomicMeeting meeting = places.meeting(1000);
  EXPECT_NEAR(meeting.lines, 1, 1e-6);
  EXPECT_NEAR(meeting.hottest_line, 319.0 / 320, 1e-9);
  EXPECT_NEAR(meeting.hottest_word, 319.0 / 320, 1e-9);
}

TEST(AtomicPlaces, BlocksWithLinesOfTheirOwnDoNotMeet) {
  AtomicPlaces places;
  for (std::uint32_t block = 0; block < 10; ++block)
    touch(places, block, [&](std::size_t lane) { return block * 4096 + lane * 4; });
  EXPECT_EQ(places.lines(1000), 1000);
  EXPECT_EQ(places.meeting(1000).hottest_word, 0);
}

TEST(AtomicPlaces, LinesOfTwoPagesAreInAsManySlicesAsThoseOfBoth) {
  for (const bool apart : {false, true}) {
    AtomicPlaces places;
    for (std::uint32_t block = 0; block < 10; ++block)
      touch(places, block, [&](std::size_t lane) { return 8192 + (apart ? 512 : 0) + lane * 32; });
    EXPECT_NEAR(places.meeting(10).lines, apart ? 16 : 8, 1e-6);
  }
}

TEST(AtomicPlaces, HowOftenTheyMeetSaysHowManyLinesThereAre) {
  AtomicPlaces places;
  SplitMix64 dice(1);
  constexpr std::uint64_t lines = 500;
  for (std::uint32_t block = 0; block < 20; ++block)
    touch(places, block, [&](std::size_t) { return dice.bits() % lines * line_bytes; });
  EXPECT_NEAR(places.lines(10000), lines, 0.1 * lines);
  EXPECT_LT(places.meeting(10000).hottest_line, 0.02);
}

TEST(AtomicPlaces, NothingIsKnownOfNone) { EXPECT_EQ(AtomicPlaces().meeting(10), AtomicMeeting()); }

}  // namespace
}  // namespace warpclock
