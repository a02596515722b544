#include "predict/simulation/simulate.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "code/testing/listing.hpp"
#include "model/testing/measured.hpp"
#include "predict/program/constant_cost.hpp"
#include "predict/simulation/run.hpp"
#include "predict/simulation/simulation_state.hpp"

namespace warpclock {
namespace {

const Machine& h200() { return testing::committed_machine("nvidia-h200"); }

/// Cycles from the first clock read to the last. With `turns`, each LDS takes as many turns of the banks.
Bounds window(const std::string& code, Residents residents = {}, std::int64_t trips = 1, double turns = 1,
              const std::vector<double>& of_warps = {}) {
  const Listing listing = [&] {
    Listing made = testing::make_listing("s1 | CS2R R2, SR_CLOCKLO\n" + code + "\ns6 | CS2R R4, SR_CLOCKLO");
    made.target = "sm_90a";
    return made;
  }();
  ProgramOptions options;
  for (std::size_t i = 0; i < listing.instructions.size(); ++i) {
    if (listing.instructions[i].opcode == "BRA") options.trips[i] = trips, options.of_warps[i] = of_warps;
    if (listing.instructions[i].opcode == "LDS") options.patterns[i].wavefronts = turns;
  }
  auto program = make_program(listing, CostTable(h200()), options);
  EXPECT_TRUE(program) << program.error().message();
  auto runs = run_program(program.value(), h200(), residents, 0);
  EXPECT_TRUE(runs) << runs.error().message();
  return runs->window;
}

/// No row has LDG.E.S8.CONSTANT.
TEST(CostTable, TakesTheRowOfALoadForTheSameOneOfTheReadOnlyPath) {
  const CostTable costs(h200());
  const auto of = [&](const std::string& name) {
    return costs.of(testing::instruction("s2 | " + name + " R4, desc[UR4][R2.64]"));
  };
  const Cost plain = of("LDG.E.S8"), read_only = of("LDG.E.S8.CONSTANT"), last = of("LDG.E.LU.S8");
  ASSERT_TRUE(plain.known_interval && plain.known_latency);
  EXPECT_EQ(read_only.interval, plain.interval);
  EXPECT_EQ(read_only.latency, plain.latency);
  EXPECT_EQ(last.interval, plain.interval);
  EXPECT_TRUE(read_only.known_interval);
}

TEST(Simulation, ObeysStallCountsAndScoreboards) {
  EXPECT_EQ(window("s4 y | FFMA R7, R9, R7, R10\ns4 y | FFMA R7, R9, R7, R10"), (Bounds{9, 9}));
  EXPECT_EQ(window("s2 w0 | LDS R8, [R6]\ns2 b0 | LOP3.LUT R9, R8, R9, RZ, 0x3c, !PT"), (Bounds{26, 26}));
  EXPECT_EQ(window("s1 | @!PT LDS RZ, [RZ]\ns1 | NOP"), (Bounds{3, 3}));
}

/// Cycles until the second of two loads has come, by the level that answers the first one.
Bounds second_load(MemoryLevel first, const std::string& second = "s2 w1 | LDG.E R9, desc[UR4][R10.64]") {
  Listing listing = testing::make_listing("s1 | CS2R R2, SR_CLOCKLO\ns2 w0 | LDG.E R8, desc[UR4][R6.64]\n" + second +
                                          "\ns4 b1 | LOP3.LUT R9, R9, R12, RZ, 0x3c, !PT\ns6 | CS2R R4, SR_CLOCKLO");
  listing.target = "sm_90a";
  ProgramOptions options;
  options.level = MemoryLevel::L2;
  options.hits[1] = first;
  auto program = make_program(listing, CostTable(h200()), options);
  EXPECT_TRUE(program) << program.error().message();
  auto runs = run_program(program.value(), h200(), {}, 0);
  EXPECT_TRUE(runs) << runs.error().message();
  return runs->window;
}

TEST(Simulation, OfWhatL1LacksAWarpGetsNothingBeforeWhatItAskedForEarlier) {
  const double behind_l2 = second_load(MemoryLevel::L2).low, behind_dram = second_load(MemoryLevel::Dram).low;
  EXPECT_LT(behind_l2, 350);
  EXPECT_GT(behind_dram, behind_l2 + 100);
  const std::string shared = "s2 w1 | LDS R9, [R10]";
  EXPECT_EQ(second_load(MemoryLevel::Dram, shared), second_load(MemoryLevel::L2, shared));
}

TEST(Simulation, WaitsForAPipeAndForItsHalves) {
  const std::string alu = "s1 | FMNMX R9, R8, R11, !PT\n", either = "s1 | FFMA R9, R8, 0.5, R11\n";
  EXPECT_EQ(window(alu + alu + alu + alu).high, 2 * 4 + 2) << "the clock read is on the same pipe";
  EXPECT_EQ(window(either + either + either + either).high, 5) << "one a cycle, in two halves";
  const std::string heavy = "s1 | IMAD R13, R8, 0x5, R11\n";
  EXPECT_EQ(window(heavy + either + heavy + either).high, 5) << "co_issue/ffma.imad";
}

std::string times(int count, const std::string& line) {
  std::string all;
  for (int i = 0; i < count; ++i) all += line + "\n";
  return all;
}

/// The numbers are those of composed windows of an H100 (docs/findings.md, "Exact costs of banks and reuse").
TEST(Simulation, ReadsOneRegisterOfABankACycle) {
  const auto one = [](const std::string& line) { return (window(times(60, line)).low - 2) / 60; };
  EXPECT_NEAR(one("s1 | FADD R9, R8, R11"), 1, 0.05);
  EXPECT_NEAR(one("s1 | FADD R9, R8, R10"), 2, 0.05);
  EXPECT_NEAR(one("s1 | FFMA R9, R8, R11, R8"), 1, 0.05) << "a register is read once";
  EXPECT_NEAR(one("s1 | FFMA R9, R8, R10, R12"), 3, 0.05);
  EXPECT_NEAR(one("s1 | HFMA2.MMA R9, R8, R10, R12"), 3, 0.05);
  EXPECT_NEAR(one("s1 | DFMA R20, R8, R10, R12"), 3, 0.05) << "a register of either bank for each operand";
  EXPECT_NEAR(one("s1 | IMAD.WIDE R20, R8, R10, R12"), 5, 0.05) << "two passes read the factors";
  const std::string pair = "s1 | FADD R9, R8, R10\ns1 | FADD R9, R8, R11";
  EXPECT_NEAR(window(times(30, pair)).low - 2, 30 * 3, 2) << "a single register may be late by one cycle";
}

/// Cycles of an FFMA in loops of 256 with patched registers and flags, of a warp alone and of two on each
/// sub-partition, an H200 (docs/findings.md, "What reuse flags keep"). "e" and "o" are accumulators in even and odd
/// registers.
TEST(Simulation, KeepsARegisterOfEachBankForEachPosition) {
  const auto one = [](const std::vector<std::string>& pattern, int stall = 1, Residents residents = {}) {
    std::string code;
    constexpr int count = 60;
    for (int i = 0; i < count; ++i) {
      const std::string& sources = pattern[static_cast<std::size_t>(i) % pattern.size()];
      if (sources.starts_with("LDS") || sources.starts_with("MOV") || sources.starts_with("FADD")) {
        code += "s1 | " + sources + "\n";
        continue;
      }
      const int sum = 40 + 2 * (i % 24) + (sources.ends_with("o") ? 1 : 0);
      code += fmt::format("s{} | FFMA R{}, {}, R{}\n", stall, sum, sources.substr(0, sources.size() - 3), sum);
    }
    const int warps = std::max(1, residents.block_warps / 4);
    return (window(code, residents).low - 2) / count / warps;
  };
  EXPECT_NEAR(one({"R10.reuse, R21, e", "R11.reuse, R21, e"}), 1.0, 0.05) << "a register of each bank";
  EXPECT_NEAR(one({"R10, R21, e", "R11, R21, e"}), 1.5, 0.05);
  EXPECT_NEAR(one({"R10.reuse, R12, o", "R14.reuse, R12, o"}), 2.0, 0.05) << "one of the same bank";
  EXPECT_NEAR(one({"R10.reuse, R14.reuse, o", "R11.reuse, R14.reuse, e", "R11, R15.reuse, e", "R10, R15.reuse, o"}),
              1.0, 0.05)
      << "the order of a matrix product";
  EXPECT_NEAR(one({"R10, R14, o", "R11, R14, e", "R11, R15, e", "R10, R15, o"}), 1.5, 0.05);
  EXPECT_NEAR(one({"R10.reuse, R12, o", "R10, R12, o", "R10, R12, o", "R10, R12, o"}), 1.75, 0.05)
      << "a read without a flag is the last";
  EXPECT_NEAR(one({"R10.reuse, R12, o", "R11, R21, e", "R10, R12, o"}), 1.33, 0.05);
  const std::string kept = "R10.reuse, R12, o";
  const auto with = [&](const std::string& other) { return one({kept, other, kept, kept, kept, kept, kept, kept}); };
  EXPECT_NEAR(with("LDS R90, [R14]"), 1.0, 0.05) << "accesses to memory leave it";
  EXPECT_NEAR(with("FADD R90, RZ, R21"), 1.0, 0.05);
  EXPECT_NEAR(with("FADD R90, R20, R21"), 1.125, 0.05);
  EXPECT_NEAR(one({"R11, R10.reuse, e", "MOV R90, R20", "R11, R10.reuse, e", "R11, R10.reuse, e"}), 1.25, 0.05)
      << "MOV reads where others have their second operand";
  EXPECT_NEAR(one({kept}, 2, {8, 1}), 2.0, 0.05) << "warps in turns keep nothing";
  EXPECT_NEAR(one({"R10.reuse, R12, e"}, 2, {8, 1}), 3.0, 0.05);
}

/// Rows of `machine.json` with a multiply of a warp group and another instruction.
TEST(Simulation, AMultiplyOfAWarpGroupGoesBeforeOtherWork) {
  const std::string multiply = "s1 | HGMMA.64x256x16.F32 R24, gdesc[UR4], R24, gsb0\n";
  const auto during = [&](const std::string& line) {
    return (window(multiply + times(12, line)).low - window(multiply + line).low) / 11;
  };
  EXPECT_NEAR(during("s1 | FMNMX R9, R8, R11, !PT"), 4, 0.1);
  EXPECT_NEAR(during("s1 | FFMA R9, R8, 0.5, R11"), 4, 0.1);
  EXPECT_NEAR(during("s1 | MUFU.EX2 R9, R8"), 10, 0.3);
  EXPECT_NEAR(during("s1 | UIADD3 UR9, UR8, UR10, URZ"), 2, 0.1);
  EXPECT_GT(window(multiply + "s1 | IMAD.WIDE R20, R8, R11, RZ").low, 128);
  EXPECT_LT(window(multiply + "s1 | IMAD R20, R8, R11, RZ").low, 16);
}

/// Rows of `machine.json`: m64n64k16 reads A and B in 32 turns of shared memory, and 8 LDS of each warp take 32 more.
TEST(Simulation, AMultiplyOfAWarpGroupReadsSharedMemoryInTurnsWithOthers) {
  const std::string multiply = "s1 | HGMMA.64x64x16.F32 R24, gdesc[UR4], R24, gsb0\n";
  const auto one = [&](const std::string& code) {
    constexpr int rounds = 10;
    const auto cycles = [&](int count) { return window(times(count, code), {.block_warps = 4}).low; };
    return (cycles(2 * rounds) - cycles(rounds)) / rounds;
  };
  EXPECT_NEAR(one(multiply), 32, 0.5);
  EXPECT_NEAR(one(multiply + times(8, "s1 | LDS R9, [R8]")), 64, 4);
  EXPECT_EQ(operand_turns(testing::instruction("HGMMA.64x64x16.F32 R24, gdesc[UR4], R24, gsb0")), 32);
  EXPECT_EQ(operand_turns(testing::instruction("HGMMA.64x256x16.F32 R24, R4, gdesc[UR4], R24")), 64);
  EXPECT_EQ(operand_turns(testing::instruction("HGMMA.SP.64x128x32.F32 R24, gdesc[UR4], R24, R2, 0x0")), 80);
}

TEST(Simulation, LetsNoOtherWarpBetweenTheTwoPassesOfAMultiply) {
  const std::string multiply = "s1 | IMAD.WIDE R20, R8, R11, RZ", add = "s1 | FADD R9, R8, R11";
  const auto one = [](const std::string& code) { return (window(times(20, code), {16, 1}).low - 2) / 80; };
  EXPECT_NEAR(one(multiply + "\n" + add), 4, 0.2);
  EXPECT_NEAR(one(multiply + "\n" + add + "\n" + add), 6, 0.5);
}

TEST(Simulation, PutsWarpsThatYieldOrWaitForAScoreboardBehindOthers) {
  WarpState first(0, 0, 0, 1, 0), second(4, 0, 0, 1, 0);
  first.yielded = second.yielded = false;
  first.last = 10, second.last = 12;
  EXPECT_TRUE(goes_before(first, second)) << "it has not issued for longer";
  EXPECT_FALSE(goes_before(second, first));
  first.yielded = true;
  EXPECT_TRUE(goes_before(second, first));
  first.yielded = false, first.own = {.cycle = 13, .wait = Wait::Scoreboard};
  EXPECT_TRUE(goes_before(second, first));
  second.yielded = true;
  EXPECT_TRUE(goes_before(first, second)) << "both are behind";
}

/// A program whose warps noted the time in each of 32 trips of 128 dependent FFMA, on an H100: four warps of a
/// sub-partition fill the issue slots, those of the four blocks that began first go on, and the next ones begin when
/// these end. 16 blocks end after 74,776 cycles, 8 after 37,443, and 32 warps of one block after 36,085.
TEST(Simulation, PutsBlocksThatBeganFirstBeforeOthers) {
  WarpState older(4, 1, 2, 1, 0), younger(0, 0, 3, 1, 0);
  older.yielded = true, older.last = 12;
  younger.yielded = false, younger.last = 10;
  EXPECT_TRUE(goes_before(older, younger)) << "the place of a block does not matter";
  EXPECT_FALSE(goes_before(younger, older));

  const auto cycles = [](Residents residents) {
    return window(times(128, "s4 y | FFMA R7, R8, R7, R8"), residents).low;
  };
  EXPECT_NEAR(cycles({4, 5}), 2 * 128 * 4, 20) << "four blocks, and the fifth after them";
  EXPECT_NEAR(cycles({4 * 5, 1}), 5 * 128, 20) << "all warps of a block together";
}

/// Warps that note the time in each round of GELU by MUFU.TANH, on an H100: three warps of a sub-partition follow each
/// other at a third of a round, so one has its MUFU served before those of the next.
TEST(Simulation, ServesTheMufuOfOneWarpBeforeThoseOfAnother) {
  const std::string round =
      times(4, "s1 w0 | MUFU.EX2 R9, R8") + times(1, "s4 b0 | FADD R9, R9, R8") + times(15, "s4 y | FADD R9, R9, R8");
  const auto cycles = [&](int warps) { return window(times(8, round), {4 * warps, 1}).low / 8; };
  const double alone = cycles(1);
  EXPECT_NEAR(alone, 3 * 8 + 17 + 16 * 4, 8);
  EXPECT_NEAR(cycles(2), alone, 8) << "32 cycles of MUFU of one warp next to 64 of FADD of the other";
  EXPECT_NEAR(cycles(3), alone, 12);
}

TEST(Simulation, LetsTheTensorCoreGoOnWithTheSameKindOfWork) {
  SubPartitionState part;
  part.work = TensorWork::Integers;
  const StepNeeds integers{.work = TensorWork::Integers}, floats{.work = TensorWork::Floats}, other;
  EXPECT_TRUE(keeps_tensor_work(part, integers, floats));
  EXPECT_FALSE(keeps_tensor_work(part, floats, integers));
  EXPECT_FALSE(keeps_tensor_work(part, integers, integers));
  EXPECT_FALSE(keeps_tensor_work(part, integers, other)) << "which does not need it";
}

/// Three warps on a sub-partition, each with 80 instructions that issue every two cycles.
TEST(Simulation, KeepsWarpsThatDoNotYieldBeforeOthers) {
  EXPECT_NEAR(window(times(80, "s2 | FADD R9, R8, R11"), {12, 1}).low, 80 * 2 + 80 * 2, 12)
      << "two fill the issue slots, the third one begins when they are done";
  EXPECT_NEAR(window(times(80, "s2 y | FADD R9, R8, R11"), {12, 1}).low, 80 * 3, 12) << "all go on together";
}

TEST(Simulation, RunsALoopAsOftenAsItIsTold) {
  const std::string loop = "loop:\ns4 y | FFMA R7, R9, R7, R10\ns5 | @P0 BRA `(loop)";
  const double once = window(loop, {}, 1).low, twice = window(loop, {}, 2).low;
  EXPECT_EQ(twice - once, 4 + taken_jump);
  EXPECT_EQ(window(loop, {}, 1000).low - once, 999 * (4 + taken_jump)) << "extrapolated";
}

TEST(Simulation, TheWarpWithMostTripsTakesLongest) {
  const auto last = [](const std::vector<double>& of_warps) {
    return window("again:\ns8 | FFMA R7, R9, R7, R10\ns5 | @P0 BRA `(again)", {.block_warps = 4}, 100, 1, of_warps).low;
  };
  const double all = last({});
  EXPECT_NEAR(last({1, 1, 1.5, 1}), 1.5 * all, 0.02 * all);
  EXPECT_NEAR(last({0.5, 0.5, 1, 0.5}), all, 0.02 * all);
}

TEST(Simulation, RunsManyLoopsInTimeThatGrowsWithTheirNumber) {
  const std::string loop = "s4 y | FFMA R7, R9, R7, R10\ns5 | @P0 BRA `(";
  std::string all;
  for (int i = 0; i < 40; ++i) all += fmt::format("l{}:\n{}l{})\n", i, loop, i);
  EXPECT_NEAR(window(all, {}, 1000).low - window(all, {}, 1).low, 40 * 999 * (4 + taken_jump), 1);
  const std::string nested = "outer:\ninner:\n" + loop + "inner)\ns5 | @P1 BRA `(outer)";
  constexpr double turn = 999 * (4 + taken_jump) + 9;
  EXPECT_NEAR(window(nested, {}, 1000).low - window(nested, {}, 1).low, 999 * (turn + taken_jump) + turn - 9, 1);
}

TEST(Simulation, SharesTheUnitsOfTheSmAmongWarps) {
  const std::string loads = times(64, "s1 w0 | LDS R8, [R6]") + "s1 b0 | LOP3.LUT R9, R8, R9, RZ, 0x3c, !PT";
  EXPECT_NEAR(window(loads).high, 64 * 2, 40) << "one warp: the row of one warp";
  EXPECT_NEAR(window(loads, {16, 1}).high, 16 * 64, 80) << "one a cycle of the SM";
}

/// Composed loops on an H200: with a stall count of 1 and a warp on each sub-partition, a warp issues its 12th load of
/// shared memory 12 cycles after the first, the 16th after 28 and the 24th after 60; alone on the SM, the 16th after 18
/// and the 24th after 34.
TEST(Simulation, QueuesAccessesBeforeTheirUnit) {
  const auto last = [](int loads, Residents residents) {
    return window(times(loads, "s1 | LDS R8, [R6]"), residents).low - 2;
  };
  constexpr double of_others = 3;  // The last of four sub-partitions is served that much later.
  EXPECT_EQ(last(12, {4, 1}), 12 + of_others);
  EXPECT_EQ(last(16, {4, 1}), 28 + of_others);
  EXPECT_EQ(last(24, {4, 1}), 60 + of_others);
  EXPECT_EQ(last(16, {1, 1}), 18);
  EXPECT_EQ(last(24, {1, 1}), 34);
}

TEST(Simulation, LetsWarpsTakeTurnsBeforeAFullQueue) {
  StepNeeds access, other;
  access.queue = 0, other.queue = 1;
  SubPartitionState part;
  part.queues = {UnitQueue(2, 0), UnitQueue(2, 0)};
  part.queues[0].enter(4);
  EXPECT_FALSE(waits_like(part, access, access));
  EXPECT_EQ(part.queues[0].free(), 0);
  part.queues[0].enter(8);
  EXPECT_EQ(part.queues[0].free(), 4);
  EXPECT_TRUE(waits_like(part, access, access));
  EXPECT_FALSE(waits_like(part, access, other));
}

TEST(Simulation, TakesTwoCyclesOfASubPartitionForATurnOfTheBanks) {
  const auto one = [](double turns, int warps) {
    const auto cycles = [&](int loads) { return window(times(loads, "s1 | LDS R8, [R6]"), {warps, 1}, 1, turns).low; };
    return (cycles(60) - cycles(30)) / 30;
  };
  EXPECT_NEAR(one(1, 1), 2, 0.1);
  EXPECT_NEAR(one(8, 1), 16, 0.1) << "eight lanes in a bank";
  EXPECT_NEAR(one(8, 4), 32, 0.1) << "a turn of the SM each";
  const auto latency = [](double turns) {
    return window("s2 w0 | LDS R8, [R6]\ns2 b0 | LOP3.LUT R9, R8, R9, RZ, 0x3c, !PT", {}, 1, turns).low;
  };
  EXPECT_EQ(latency(8) - latency(1), 7 * 2);
}

TEST(Simulation, WaitsForEachLineOfConstantMemoryThatTheLaunchReadsFirst) {
  const double missed = constant_missed(h200());
  ASSERT_GT(missed, 60);
  const std::string first = "s2 | FADD R4, R5, c[0x0][0x210]", same = "\ns2 | FADD R4, R5, c[0x0][0x230]",
                    next = "\ns2 | FADD R4, R5, c[0x0][0x240]";
  const double once = window(first).high;
  EXPECT_EQ(once, window("s2 | FADD R4, R5, R6").high + missed);
  EXPECT_EQ(window(first + same).high, once + 2);
  EXPECT_EQ(window(first + next).high, once + 2 + missed);
  EXPECT_EQ(window(first, {.block_warps = 8}).high, once + 2) << "the other warps need not wait again";
  const std::string load = "s1 w0 | LDC R4, c[0x0][0x210]\ns2 b0 | FADD R5, R4, R6";
  EXPECT_EQ(window(load + "\n" + load).high, 2 * window(load).high - 1 - missed) << "of two loads, the first";
}

TEST(Simulation, LetsABarrierGoWhenAllHaveArrived) {
  const auto one = window("s6 | BAR.SYNC.DEFER_BLOCKING 0x0"),
             many = window("s6 | BAR.SYNC.DEFER_BLOCKING 0x0", {16, 1});
  EXPECT_NEAR(one.high, 15, 2) << "synchronization/bar[op=sync,warps=1]";
  EXPECT_NEAR(many.high, 45, 8) << "synchronization/bar[op=sync,warps=16]";
}

TEST(Simulation, ABarrierTakesTwoCyclesOfTheAduForEachWarp) {
  Listing listing = testing::make_listing("s6 | BAR.SYNC.DEFER_BLOCKING 0x0\ns2 w0 | REDUX.SUM UR4, R8\ns5 | EXIT");
  listing.target = "sm_90a";
  const auto program = make_program(listing, CostTable(h200()), {});
  ASSERT_TRUE(program) << program.error().message();
  ASSERT_EQ(program->units, std::vector<std::string>{"adu"});
  const auto runs = run_program(program.value(), h200(), {.block_warps = 32}, 0);
  ASSERT_TRUE(runs) << runs.error().message();
  EXPECT_EQ(runs->use.unit_busy, std::vector<double>{32 * (2.0 + 2.0)}) << "REDUX takes two as well";
}

/// Blocks of one warp with one instruction.
constexpr const char* store = "s4 y | STG.E.128 desc[UR4][R2.64], R4\ns5 | EXIT";
Runs run_blocks(int at_once, std::int64_t all, LaunchCost launch,
                const char* code = "s4 y | FFMA R7, R9, R7, R10\ns5 | EXIT") {
  Listing listing = testing::make_listing(code);
  listing.target = "sm_90a";
  auto program = make_program(listing, CostTable(h200()), {});
  EXPECT_TRUE(program) << program.error().message();
  const Residents residents{.blocks = at_once, .all_blocks = all, .launch = launch};
  return run_program(program.value(), h200(), residents, 0).value();
}

TEST(Simulation, TheGpuSeesBlocksEndOneAfterTheOther) {
  const LaunchCost launch{.next = 50, .refill = 100};
  const double one = run_blocks(1, 1, {}).cycles.low;
  EXPECT_EQ(run_blocks(1, 1, {.refill = 100}).low.drain, 100 - one);
  EXPECT_EQ(run_blocks(4, 4, launch).cycles.low, one) << "all end at once";
  EXPECT_EQ(run_blocks(4, 4, launch).low.drain, 4 * 100 - one);
  EXPECT_EQ(run_blocks(1, 3, launch).cycles.low, 2 * 100 + 50 + one) << "a block begins when its place is seen free";
  EXPECT_EQ(run_blocks(4, 4, {}).low.drain, 0) << "without a row";
}

TEST(Simulation, TheLastSmBeginsLaterAndStoresAreAnsweredLater) {
  const double one = run_blocks(1, 1, {}).cycles.low;
  EXPECT_EQ(run_blocks(1, 1, {.skew = 70}).low.drain, 70);
  EXPECT_EQ(run_blocks(1, 1, {.refill = 100, .skew = 70}).low.drain, 100 - one + 70);
  EXPECT_EQ(run_blocks(1, 1, {.stored = 200}).low.drain, 0) << "nothing is stored";
  EXPECT_EQ(run_blocks(1, 1, {.stored = 200}, store).low.drain, 200) << "the path to L2 is busy until then";
}

TEST(Simulation, BeginsBlocksOneAfterTheOther) {
  const auto cycles = [](int at_once, std::int64_t all, LaunchCost launch) {
    return run_blocks(at_once, all, launch).cycles.low;
  };
  const LaunchCost launch{.start = 200, .apart = 20, .next = 500};
  const double one = cycles(1, 1, {});
  EXPECT_EQ(cycles(1, 1, launch), 200 + one);
  EXPECT_EQ(cycles(4, 4, launch), 200 + 3 * 20 + one) << "the fourth block begins last";
  EXPECT_EQ(cycles(1, 2, launch), 200 + one + 500 + one) << "the second block takes the place of the first";
  EXPECT_EQ(cycles(1, 100, launch), 200 + one + 99 * (500 + one)) << "extrapolated";
}

TEST(Simulation, WaitsAtAMembar) {
  const double before = window("s1 | NOP").low;
  EXPECT_NEAR(window("s6 | MEMBAR.ALL.GPU").low - before, 263, 6)
      << "atomics/fence[order=acq_rel,scope=gpu,after=nothing]";
  EXPECT_NEAR(window("s6 | MEMBAR.SC.CTA").low - before, 8, 2) << "atomics/fence[order=sc,scope=cta,after=nothing]";
  EXPECT_GE(window("s6 | MEMBAR").low, before) << "no such instruction";
}

TEST(Simulation, GivesARangeForWhatHasNoRow) {
  const auto unknown = window("s2 w0 | B2R.RESULT R5, P0\ns2 b0 | LOP3.LUT R9, R5, R9, RZ, 0x3c, !PT");
  EXPECT_LT(unknown.low, unknown.high);
}

TEST(Program, RefusesALoopWhoseTripsAreNotKnown) {
  const Listing listing = testing::make_listing("loop:\ns4 | FFMA R7, R9, R7, R10\ns5 | @P0 BRA `(loop)");
  const auto program = make_program(listing, CostTable(h200()), {});
  ASSERT_FALSE(program);
  EXPECT_EQ(program.error().code, "predict");
}

}  // namespace
}  // namespace warpclock
