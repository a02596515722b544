#include "predict/memory/memory_plan.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "code/testing/listing.hpp"

namespace warpclock {
namespace {

/// Loads of the buffer of argument 0, and stores to an address that is not known: how often warps execute them, as
/// bytes of sectors that are accessed for the first time.
struct Accesses {
  Listing listing = testing::make_listing(
      "s2 | LDG.E R4, desc[UR4][R2.64]\n"
      "s2 | STG.E desc[UR4][R6.64], R4\n"
      "s5 | EXIT");
  MemoryPlan plan;
  MemoryKnown known;

  Accesses(std::int64_t loaded, std::int64_t stored) {
    plan.patterns[0] = {.new_sectors = 1, .argument = 0};
    plan.patterns[1] = {.new_sectors = 1, .argument = -1};
    known.buffers = {{0, loaded}, {1, stored}};
  }
  [[nodiscard]] double bytes(double loads, double stores) const {
    constexpr double sector = 32;
    return sum_of(accessed_buffers(listing, plan, known, {{0, loads / sector}, {1, stores / sector}})).bytes;
  }
};

TEST(MemoryPlan, ABufferIsAccessedOnceAtMost) {
  const Accesses all(1000, 0);
  EXPECT_NEAR(all.bytes(96, 0), 96, 1e-9);
  EXPECT_NEAR(all.bytes(5000, 0), 1000, 1e-9);
}

TEST(MemoryPlan, AStoreToAnUnknownAddressFillsTheBufferThatNothingElseAccesses) {
  const Accesses all(80, 70);
  EXPECT_NEAR(all.bytes(80, 20), 100, 1e-9);
  EXPECT_NEAR(all.bytes(80, 500), 150, 1e-9);
}

TEST(MemoryPlan, L2LosesTheMoreTheMoreIsAccessedInBetween) {
  EXPECT_EQ(lost_of_l2(500, 1000), 0);
  EXPECT_NEAR(lost_of_l2(685, 1000), 0.5, 1e-9);
  EXPECT_EQ(lost_of_l2(860, 1000), 1);
  EXPECT_EQ(lost_of_l2(860, 0), 0) << "nobody says how large it is";
}

TEST(MemoryPlan, DramAnswersAgainWhatAllBlocksPushOutOfL2) {
  Accesses all(3200, 3200);
  AccessPattern& loads = all.plan.patterns[0];
  loads.new_sectors = 2, loads.again_sectors = 1, loads.again_after = 100, loads.block_sectors = 1;
  const auto part = [&](double blocks, double l2_bytes = 1000) {
    return parts_of_dram(all.listing, all.plan, all.known, {{0, 200}}, {l2_bytes, blocks}).at(0);
  };
  EXPECT_NEAR(part(1), 0.25, 1e-9) << "of 200 sectors that are new, the buffer has 100";
  EXPECT_NEAR(part(10), 0.75, 1e-9) << "and all others have left L2";
  EXPECT_NEAR(part(10, 0), 0.25, 1e-9) << "nobody says how large it is";
  EXPECT_NEAR(part(6.85), 0.5, 1e-9);
  loads.sharers = 10;
  EXPECT_NEAR(part(10), 0.25, 1e-9) << "all blocks load the same";
}

TEST(MemoryPlan, WavesLoadAgainWhatTheirBlocksShare) {
  Accesses all(3200, 0);
  AccessPattern& loads = all.plan.patterns[0];
  loads.new_sectors = 2, loads.sharers = 4;
  double lap = 0;
  const auto part = [&](double waves, double lost) {
    L2Use l2{.bytes = 1000, .blocks = 4, .waves = waves};
    l2.lost_of_lap = [&](double bytes) { return lap = bytes, lost; };
    return parts_of_dram(all.listing, all.plan, all.known, {{0, 1000}}, l2).at(0);
  };
  EXPECT_NEAR(part(5, 0), 0.05, 1e-9) << "of 2000 sectors, the buffer has 100";
  EXPECT_NEAR(lap, 3200, 1e-9) << "16000 bytes, each loaded by four blocks, in five waves";
  EXPECT_NEAR(part(10, 0), 0.05, 1e-9);
  EXPECT_NEAR(lap, 1600, 1e-9);
  EXPECT_NEAR(part(5, 1), 0.25, 1e-9) << "each wave";
  EXPECT_NEAR(part(5, 0.5), 0.15, 1e-9);
  EXPECT_NEAR(part(1, 1), 0.05, 1e-9) << "there is no later one";
  EXPECT_NEAR(part(2.5, 1), 0.15, 1e-9);
  loads.sharers = 1;
  EXPECT_NEAR(part(5, 1), 0.05, 1e-9) << "blocks at once share nothing";
}

TEST(MemoryPlan, BlocksThatShareNothingEachAskDramInWhicheverBufferTheyAre) {
  Accesses all(0, 3200);
  AccessPattern& stores = all.plan.patterns[1];
  const auto part = [&] { return parts_of_dram(all.listing, all.plan, all.known, {{1, 200}}, {}).at(1); };
  EXPECT_NEAR(part(), 0.5, 1e-9) << "the address is not known, and nothing else is in the buffer of 100 sectors";
  stores.deduced = true;
  EXPECT_EQ(part(), 1) << "in several buffers, of which only those of some blocks are known";
  stores.sharers = 2;
  EXPECT_NEAR(part(), 0.5, 1e-9);
}

TEST(MemoryPlan, WhatIsAbsentOfABufferThatIsNotKnownIsThatOfAll) {
  const AbsentBytes absent({{0, {.bytes = 100}}, {1, {.bytes = 300}}, {2, {.bytes = 100}}}, {{0, 0.25}, {1, 1.0}});
  EXPECT_EQ(absent.bytes(), 75);
  EXPECT_EQ(absent.of(0), 0.75);
  EXPECT_EQ(absent.of(1), 0);
  EXPECT_EQ(absent.of(2), 0) << "nobody said what L2 has of it";
  EXPECT_EQ(absent.of(-1), 0.15);
  EXPECT_EQ(absent.most(), 0.75);
}

TEST(MemoryPlan, L2AnswersWhatItHasRoomFor) {
  Machine machine;
  machine.stated.l2_bytes = 1000;
  const auto level = [&](std::int64_t loaded, double accessed, MemoryLevel expected) {
    Accesses all(loaded, 0);
    const std::string why = take_level_of_buffers(all.plan, machine, accessed, all.known);
    EXPECT_EQ(all.known.level, expected) << why;
    return why;
  };
  EXPECT_THAT(level(1000, 1000, MemoryLevel::L2), ::testing::HasSubstr("which fit into L2"));
  EXPECT_THAT(level(4000, 4000, MemoryLevel::Dram), ::testing::HasSubstr("which do not fit into L2"));
  EXPECT_THAT(level(4000, 900, MemoryLevel::L2), ::testing::HasSubstr("900 B that are accessed of"));
}

}  // namespace
}  // namespace warpclock
