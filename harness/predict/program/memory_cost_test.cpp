#include "predict/program/memory_cost.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <utility>

#include "base/testing/matchers.hpp"
#include "code/testing/listing.hpp"

namespace warpclock {
namespace {

constexpr double l2 = 300, dram = 700;

Leaf leaf(const std::string& name, double value) { return {.name = name, .value = value}; }

/// Two SMs. Local memory of 1000 bytes is in L2, and of 2000 in DRAM.
Machine machine() {
  Machine made;
  made.stated.sms = 2;
  made.stated.l2_bytes = 1000;
  made.transfers = {
      {.name = "l2.load", .leaves = {leaf("latency", l2), leaf("rate.all_sms", 32)}},
      {.name = "dram.load", .leaves = {leaf("latency", dram), leaf("rate.all_sms", 8)}},
      {.name = "local.1000", .leaves = {leaf("rate.all_sms", 20)}},
      {.name = "local.2000", .leaves = {leaf("rate.all_sms", 10)}},
      {.name = "bulk.load.l2",
       .leaves = {leaf("rate.one_sm", 100), leaf("rate.all_sms.same_lines", 50), leaf("in_flight.same_lines", 45000),
                  leaf("latency.fixed", 310)}},
  };
  return made;
}

double latency(const MemoryUse& use, double sharers, double part, bool by_block = true) {
  const Machine made = machine();
  const Instruction load = testing::instruction("s2 | LDG.E R4, desc[UR4][R2.64]");
  AccessPattern pattern{.sectors = 1, .new_sectors = 1, .by_block = by_block, .sharers = sharers};
  return must(MemoryCosts(made, use).of(load, pattern, {MemoryLevel::Dram, part})).latency->low;
}

TEST(MemoryCosts, SmsThatShareLinesWaitForDramTogether) {
  EXPECT_EQ(latency({}, 1, 0.1), l2 + 0.1 * (dram - l2));
  EXPECT_EQ(latency({}, 4, 0.1), l2 + 0.4 * (dram - l2));
  EXPECT_EQ(latency({}, 20, 0.1), dram);
  EXPECT_EQ(latency({.blocks = 2}, 4, 0.1, false), l2 + 0.2 * (dram - l2)) << "two blocks of an SM ask once";
  EXPECT_EQ(latency({.blocks = 2}, 4, 0.1), l2 + 0.4 * (dram - l2)) << "neighbors are on other SMs";
  EXPECT_EQ(latency({.clock = 0.5}, 20, 0.1), dram / 2) << "DRAM has a clock of its own";
}

TEST(MemoryCosts, AWarpWaitsForTheLastOfItsPieces) {
  Machine made = machine();
  const auto add_hops = [](Entry& entry, double one, double two, double four, double many) {
    entry.leaves.push_back(leaf("latency.last_of_1", one));
    entry.leaves.push_back(leaf("latency.last_of_2", two));
    entry.leaves.push_back(leaf("latency.last_of_4", four));
    entry.leaves.push_back(leaf("latency.last_of_32", many));
  };
  add_hops(made.transfers[0], 310, 320, 330, 340);
  add_hops(made.transfers[1], 720, 800, 900, 1300);
  const Instruction load = testing::instruction("s2 | LDG.E R4, desc[UR4][R2.64]");
  const auto cost = [&](double pieces, MemoryAnswer answer, double asking = 1) {
    const AccessPattern pattern{.sectors = 4, .pieces = pieces, .new_sectors = 4, .asking = asking};
    return must(MemoryCosts(made, {}).of(load, pattern, answer));
  };
  const double one = cost(1, {MemoryLevel::L2}).latency->low;
  EXPECT_EQ(cost(2, {MemoryLevel::L2}).latency->low - one, 10);
  const MemoryCost from_dram = cost(1, {MemoryLevel::Dram});
  EXPECT_EQ(from_dram.latency->low, one) << "the path to DRAM has the rest";
  const DramWait wait = from_dram.paths.at(1).dram;
  EXPECT_TRUE(wait.times.vary());
  EXPECT_NEAR(wait.times.mean(), dram - l2, 1e-9);
  EXPECT_EQ(wait.lines, 1);
  const PathCost half = cost(4, {MemoryLevel::Dram, 0.5}).paths.at(1);
  EXPECT_EQ(half.dram.lines, 2) << "L2 answers two of four";
  EXPECT_EQ(half.part, 1) << "all wait for DRAM";
  EXPECT_EQ(cost(1, {MemoryLevel::Dram, 0.5}, 0.5).paths.at(1).part, 0.25) << "L1 answers half of them";
}

TEST(MemoryCosts, LoadsWaitForOtherLoadsAndForWritesInDram) {
  Machine made = machine();
  const Instruction load = testing::instruction("s2 | LDG.E R4, desc[UR4][R2.64]");
  const auto path = [&] {
    const AccessPattern pattern{.sectors = 4, .new_sectors = 4};
    return must(MemoryCosts(made, {}).of(load, pattern, {MemoryLevel::Dram})).paths.at(1);
  };
  EXPECT_EQ(path().queued, 0) << "no row";
  made.transfers[1].leaves.push_back(leaf("latency.loaded", dram + 50));
  made.transfers[1].leaves.push_back(leaf("rate.loaded", 4));
  EXPECT_EQ(path().queued, 50) << "half of the rate";
  EXPECT_EQ(path().dram.writes, 0);
  made.transfers.push_back({.name = "dram.store", .leaves = {leaf("rate.all_sms", 8)}});
  made.transfers.push_back(
      {.name = "dram.copy",
       .leaves = {leaf("rate.all_sms.by_threads", 8), leaf("rate.loaded", 4), leaf("latency.loaded", dram + 250)}});
  EXPECT_EQ(path().queued, 50);
  EXPECT_EQ(path().dram.writes, 800) << "200 more, where it writes for a quarter of the time";
  made.transfers[1].leaves.push_back(leaf("latency.few_loads", dram + 20));
  made.transfers[1].leaves.push_back(leaf("rate.few_loads", 2));
  EXPECT_NEAR(path().queued, 45, 1e-9) << "30 more at half of the rate than at a quarter";
  made.stated = {.sms = 1, .sm_clock_max_mhz = 1000, .memory_clock_max_mhz = 1000, .memory_bus_bits = 64};
  EXPECT_NEAR(path().queued, 30 / (1 / 3.0 - 1 / 7.0), 1e-9) << "of a bus of 16 bytes a clock, a quarter and an eighth";
  EXPECT_EQ(path().fullest, 0.5);
}

TEST(MemoryCosts, HalvesOfL2AreAsFarApartAsTheirRowsSay) {
  Machine made = machine();
  for (const auto& [name, cycles] : {std::pair("1", 720), std::pair("4", 880), std::pair("32", 1300)})
    made.transfers[1].leaves.push_back(leaf(fmt::format("latency.last_of_{}", name), cycles));
  const Instruction load = testing::instruction("s2 | LDG.E R4, desc[UR4][R2.64]");
  const auto wait = [&](double lines) {
    const AccessPattern pattern{.sectors = 4 * lines, .lines = lines, .new_sectors = 4 * lines};
    return must(MemoryCosts(made, {}).of(load, pattern, {MemoryLevel::Dram})).paths.at(1).dram;
  };
  EXPECT_EQ(wait(1).times.across, 0) << "no row";
  made.transfers[1].leaves.push_back(leaf("latency.near", dram - 80));
  made.transfers[1].leaves.push_back(leaf("latency.far", dram + 80));
  EXPECT_EQ(wait(1).times.across, 160);
  EXPECT_NEAR(wait(1).times.mean(), dram - l2, 1e-9);
  EXPECT_EQ(wait(8).halves, 1) << "1 KiB is in one half";
  EXPECT_EQ(wait(16).halves, 2);
}

TEST(MemoryCosts, DramIsSlowerForShortPiecesOfRows) {
  Machine made = machine();
  const auto add = [&](const char* name, double rate) {
    made.transfers.push_back({.name = name, .leaves = {leaf("rate.all_sms", rate)}});
  };
  made.transfers[1].leaves.push_back(leaf("rate.all_sms", 8));
  const Instruction load = testing::instruction("s2 | LDG.E R4, desc[UR4][R2.64]");
  const auto busy = [&](double bytes, double neighbors) {
    const AccessPattern pattern{.sectors = 4, .new_sectors = 4, .run_bytes = bytes, .neighbors = neighbors};
    return must(MemoryCosts(made, {}).of(load, pattern, {MemoryLevel::Dram})).paths.at(1).busy;
  };
  const double whole = busy(64, 0);
  EXPECT_EQ(whole, busy(4096, 0)) << "no rows";
  add("dram.load.pieces_at_once_64", 6), add("dram.load.pieces_at_once_256", 8);
  add("dram.load.pieces_later_64", 4), add("dram.load.pieces_later_256", 8);
  EXPECT_EQ(busy(64, 0), 2 * whole);
  EXPECT_NEAR(busy(64, 1), 8.0 / 6 * whole, 1e-9);
  EXPECT_EQ(busy(4096, 0), whole);
  EXPECT_EQ(busy(0, 0), whole) << "not known";
}

TEST(MemoryCosts, ABlockWaitsForSectorsThatItIsTheFirstToAskFor) {
  const Machine made = machine();
  const Instruction load = testing::instruction("s2 | LDG.E R4, desc[UR4][R2.64]");
  const auto waits = [&](double first, double sharers) {
    const AccessPattern pattern{.sectors = 4, .new_sectors = 4, .first_sectors = first, .sharers = sharers};
    const MemoryAnswer answer{.level = MemoryLevel::Dram, .part = 0.25, .absent = 0.8};
    return (must(MemoryCosts(made, {}).of(load, pattern, answer)).paths.at(1)).part;
  };
  EXPECT_NEAR(waits(4, 1), 0.8, 1e-9) << "neighbours ask for the same at the same time";
  EXPECT_NEAR(waits(2, 1), 0.4, 1e-9) << "half of them the block has asked for before";
  EXPECT_NEAR(waits(0, 1), 0.25, 1e-9) << "nothing is known";
  EXPECT_NEAR(waits(4, 2), 0.5, 1e-9) << "what blocks at once load the same";
}

TEST(MemoryCosts, LoadsOfWhatOtherSmsStoredTakeTheWayOfStoresBetweenTheHalves) {
  Machine made = machine();
  made.transfers.front().leaves.push_back(leaf("rate.all_sms.far", 8));
  made.transfers.front().leaves.push_back(leaf("latency.near", 200));
  made.transfers.front().leaves.push_back(leaf("latency.far", 400));
  const Instruction load = testing::instruction("s2 | LDG.E R4, desc[UR4][R2.64]");
  const auto cost = [&](double sharers, double apart) {
    const AccessPattern pattern{.sectors = 4, .new_sectors = 4, .sharers = sharers};
    return must(MemoryCosts(made, {}).of(load, pattern, {.level = MemoryLevel::L2, .apart = apart}));
  };
  EXPECT_EQ(cost(1, 0).paths.at(0).asked, 0);
  EXPECT_EQ(cost(1, 1).paths.at(0).asked, 128 / 4 / 8.0) << "a quarter crosses";
  EXPECT_EQ(cost(1, 0.5).paths.at(0).asked, 128 / 8 / 8.0);
  EXPECT_EQ(cost(4, 1).paths.at(0).asked, 128 / 2 / 4 / 8.0) << "half of the lines, once for all";
  EXPECT_EQ(cost(1, 1).latency->low - cost(1, 0).latency->low, 50);
}

double stored(const AccessPattern& pattern, const MemoryUse& use = {}) {
  Machine made = machine();
  made.transfers = {{.name = "l2.store", .leaves = {leaf("rate.all_sms", 16), leaf("rate.all_sms.own_lines", 0.8)}},
                    {.name = "l2.store.lines_64", .leaves = {leaf("rate.slowest_sm", 8)}},
                    {.name = "l2.store.lines_128", .leaves = {leaf("rate.slowest_sm", 12)}}};
  const Instruction store = testing::instruction("s2 | STG.E desc[UR4][R2.64], R4");
  return must(MemoryCosts(made, use).of(store, pattern, {})).paths.at(0).busy;
}

TEST(MemoryCosts, AStoreTakesL2ATimeForEachLineAndForEachSector) {
  const auto cycles = [](double lines, double sectors) {
    return stored({.sectors = sectors, .lines = lines, .new_sectors = sectors});
  };
  EXPECT_NEAR(cycles(1, 4), 8, 1e-9) << "whole lines";
  EXPECT_NEAR(cycles(32, 32), 160, 1e-9) << "lines of their own";
  EXPECT_NEAR(cycles(2, 5), 13, 1e-9) << "four and one cycle";
}

TEST(MemoryCosts, StoresThatComeBackToFewLinesWaitForTheFullestSlice) {
  const auto cycles = [](double returning, double block_sectors, const MemoryUse& use) {
    return stored({.sectors = 4, .lines = 1, .new_sectors = 4, .block_sectors = block_sectors, .returning = returning},
                  use);
  };
  EXPECT_NEAR(cycles(1, 4 * 64, {}), 16, 1e-9);
  EXPECT_NEAR(cycles(1, 4 * 8, {.blocks = 8}), 16, 1e-9) << "eight blocks of an SM have 64 lines";
  EXPECT_NEAR(cycles(1, 4 * 8, {.blocks = 8, .resident = 0.5}), 128 / 12.0, 1e-9) << "and 128 with those that follow";
  EXPECT_NEAR(cycles(0.5, 4 * 64, {}), 12, 1e-9);
  EXPECT_NEAR(cycles(0, 4 * 64, {}), 8, 1e-9);
}

std::vector<PathCost> local_paths(double bytes_of_sm, const char* text) {
  const Machine made = machine();
  const AccessPattern pattern{.sectors = 4, .new_sectors = 4};
  return must(MemoryCosts(made, {.local_bytes = bytes_of_sm, .l1_bytes = 100})
                  .of(testing::instruction(text), pattern, {}))
      .paths;
}

TEST(MemoryCosts, ARequestForALineLooksItUpWhoeverElseAsksForIt) {
  Machine made = machine();
  made.transfers[0].leaves.push_back(leaf("rate.all_sms.own_lines", 2));
  const Instruction load = testing::instruction("s2 | LDG.E.128 R4, desc[UR4][R2.64]");
  const auto busy = [&](double lines, double sharers, double clock = 1) {
    const AccessPattern pattern{.sectors = 16, .lines = lines, .new_sectors = 16, .sharers = sharers};
    return must(MemoryCosts(made, {.clock = clock}).of(load, pattern, {})).paths.front().busy;
  };
  EXPECT_EQ(busy(4, 1), 16) << "sectors";
  EXPECT_EQ(busy(4, 2), 8) << "lines: their bytes leave L2 once for both";
  EXPECT_EQ(busy(16, 1), 32);
  EXPECT_EQ(busy(16, 8), 32);
  EXPECT_EQ(busy(16, 8, 0.5), 16) << "of a slower SM clock";
}

TEST(MemoryCosts, LocalMemoryTakesWhatAnUpdateOfAsManyBytesTakes) {
  const char* const store = "s2 | STL [R1], R4";
  EXPECT_EQ(local_paths(400, store).size(), 1U) << "L2 has room for what two SMs keep";
  const auto beyond = local_paths(1000, store);
  ASSERT_EQ(beyond.size(), 2U);
  EXPECT_EQ(beyond[1].level, MemoryLevel::Dram);
  EXPECT_NEAR(beyond[1].busy, 128 / 10.0, 1e-9);
  EXPECT_NEAR(local_paths(750, store)[1].busy, 128 * (1 / 20.0 + 1 / 10.0) / 2, 1e-9) << "between two rows";
  EXPECT_NEAR(local_paths(5000, store)[1].busy, 128 / 10.0, 1e-9) << "beyond the last row";
}

TEST(MemoryCosts, L1AnswersLoadsOfLocalMemoryForWhichItHasRoom) {
  const char* const load = "s2 | LDL R4, [R1]";
  EXPECT_TRUE(local_paths(100, load).empty());
  EXPECT_EQ(local_paths(101, load)[0].bytes, 128) << "nobody executed it";
  const Machine made = machine();
  const AccessPattern executed{.deduced = true, .sectors = 4, .new_sectors = 2, .asking = 0.75};
  const auto half =
      must(MemoryCosts(made, {.local_bytes = 200, .l1_bytes = 100}).of(testing::instruction(load), executed, {})).paths;
  ASSERT_EQ(half.size(), 1U);
  EXPECT_EQ(half[0].bytes, 64);
  EXPECT_EQ(half[0].part, 0.75);
}

TEST(MemoryCosts, BulkCopiesOfSharedLinesHaveTheirOwnRateAndQueue) {
  const Machine made = machine();
  const Instruction copy = testing::instruction("s2 | UBLKCP.S.G [UR8], [UR4], UR6");
  const auto path = [&](double sharers) {
    return MemoryCosts(made, {}).bulk(copy, {.sharers = sharers}, {}).paths.front();
  };
  EXPECT_NEAR(path(12).busy, 1 / 50.0, 1e-9);
  EXPECT_NEAR(path(12).queued, queue_cycles(45000, 50, 310), 1e-9);
  EXPECT_EQ(path(1).queued, 0);
}

}  // namespace
}  // namespace warpclock
