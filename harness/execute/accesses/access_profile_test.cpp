#include "execute/accesses/access_profile.hpp"

#include <gtest/gtest.h>

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "execute/accesses/l1_lines.hpp"
#include "execute/testing/listing.hpp"

namespace warpclock {
namespace {

using testing::buffer;
using testing::kernel_of;
using testing::launch_of;

constexpr std::uint64_t much_l1 = 1 << 17, line = 128;

/// The instruction `waits` waits for scoreboard 0, which all instructions here set.
std::vector<AccessSums> accesses_of(const std::vector<std::string>& lines, std::uint32_t threads = 32,
                                    std::uint64_t l1_bytes = much_l1, std::uint32_t blocks = 1,
                                    std::optional<std::size_t> waits = {}) {
  LoadedKernel kernel = kernel_of(lines);
  kernel.facts.stack_bytes = 64;
  if (waits) kernel.listing.instructions[*waits].control.wait_mask = 1;
  const ExecutedLaunch launch = launch_of(kernel, {buffer(0, 1 << 20), buffer(1, 1 << 20)}, threads, blocks);
  const CodeProgram program = code_program(kernel, launch, Follow::Addresses);
  const FlowGraph graph = flow_graph(kernel.listing, {});
  AccessProfile profile(kernel, graph, launch, {.l1_bytes = l1_bytes, .constants = {.lines = 32, .sets = 8}});
  std::vector<std::uint64_t> all(launch.blocks());
  for (std::uint64_t i = 0; i < all.size(); ++i) all[i] = i;
  const auto done = execute(kernel, launch, program, all, profile);
  EXPECT_TRUE(done) << done.error().message();
  return profile.accesses();
}

TEST(L1Lines, TheLineThatWasUsedLongestAgoMakesRoom) {
  L1Lines l1(2);
  std::uint64_t round = 0;
  const auto missing = [&](std::uint64_t number, std::uint32_t sectors) {
    return l1.load(number, sectors, round++).missing;
  };
  EXPECT_EQ(missing(1, 0xf), 0xfU);
  EXPECT_EQ(missing(2, 0x1), 0x1U);
  EXPECT_EQ(missing(2, 0x3), 0x2U) << "it has the first sector";
  EXPECT_EQ(missing(1, 0x1), 0U);
  EXPECT_EQ(missing(3, 0x1), 0x1U);
  EXPECT_EQ(missing(1, 0xf), 0U);
  EXPECT_EQ(missing(2, 0x3), 0x3U) << "the third line has taken its place";
  EXPECT_EQ(L1Lines(0).load(1, 0xf, 0).missing, 0xfU);
}

/// The part of the loads that L1 answers of so many lines, again and again in their order.
double answered_in_turn(std::size_t l1, std::uint64_t lines, std::uint64_t pitch = 1) {
  L1Lines held(l1);
  constexpr std::uint64_t rounds = 20;
  double answered = 0;
  for (std::uint64_t round = 0; round <= rounds; ++round) {
    for (std::uint64_t i = 0; i < lines; ++i)
      answered += held.load(i / 2 * pitch + i % 2, 0xf, round).missing == 0 && round > 0 ? 1 : 0;
  }
  return answered / static_cast<double>(lines * rounds);
}

/// An H200, by counters; one block, 228 KiB set aside for shared memory, so that L1 answers all of 168 lines.
TEST(L1Lines, AnswerAsManyLoadsAsCountersSay) {
  constexpr double near = 0.2;
  EXPECT_EQ(answered_in_turn(168, 160, 2), 1);
  EXPECT_NEAR(answered_in_turn(168, 180, 2), 0.85, near);
  EXPECT_NEAR(answered_in_turn(168, 200, 2), 0.66, near);
  EXPECT_NEAR(answered_in_turn(168, 224, 2), 0.48, near);
  EXPECT_NEAR(answered_in_turn(168, 256, 2), 0.12, near);
  EXPECT_NEAR(answered_in_turn(168, 320, 2), 0.01, near);
  EXPECT_NEAR(answered_in_turn(932, 1152, 2), 0.53, near) << "132 KiB set aside";
  EXPECT_NEAR(answered_in_turn(932, 1536, 2), 0, near);
  EXPECT_NEAR(answered_in_turn(680, 1020, 2), 0.56, 0.3) << "local memory of 256 threads";
  EXPECT_NEAR(answered_in_turn(168, 256, 2), 0.31, 0.1) << "the same of 128";
  EXPECT_NEAR(answered_in_turn(168, 512, 2), 0, 0.05);
  for (const std::uint64_t pitch : {4, 32, 64, 128})
    EXPECT_NEAR(answered_in_turn(168, 192, pitch), 0.7, near) << "rows of two lines, " << pitch << " lines apart";
}

TEST(L1Lines, HaveWhatWasStored) {
  L1Lines l1(4);
  l1.store(1, 0x3);
  EXPECT_EQ(l1.load(1, 0x7, 0).missing, 0x4U);
  L1Lines(0).store(1, 0xf);
}

TEST(L1Lines, LoadsOfOneRoundWaitForWhatAnotherHasAskedFor) {
  L1Lines l1(2);
  EXPECT_TRUE(l1.load(1, 0x3, 0).waits);
  EXPECT_TRUE(l1.load(1, 0x1, 0).waits) << "it is on its way";
  EXPECT_FALSE(l1.load(1, 0x3, 1).waits);
  EXPECT_TRUE(l1.load(1, 0xc, 1).waits);
  EXPECT_FALSE(l1.load(1, 0x3, 1).waits) << "only the other sectors are on their way";
  EXPECT_TRUE(L1Lines(0).load(1, 0xf, 0).waits);
}

/// Each thread loads word `scale` times its index, twice.
std::vector<std::string> loaded_twice(const std::string& scale, const std::string& modifiers) {
  const std::string load = "LDG.E" + modifiers + " R4, desc[UR4][R2.64]";
  return {"S2R R0, SR_TID.X", "LDC.64 R2, c[0x0][0x210]", "IMAD.WIDE R2, R0, " + scale + ", R2", load, load, "EXIT"};
}

TEST(AccessProfile, CountsLinesSectorsAndWhatL1HasAlready) {
  const auto near = accesses_of(loaded_twice("0x4", ""), 64, much_l1, 1, 4);
  EXPECT_EQ(near[3].executed, 2U);
  EXPECT_EQ(near[3].sectors, 8U);
  EXPECT_EQ(near[3].lines, 2U);
  EXPECT_EQ(near[3].missed, 8);
  EXPECT_EQ(near[4].missed, 0) << "the load before has brought them";
  EXPECT_EQ(near[4].distinct, 8);
  EXPECT_EQ(near[3].first, 8);
  EXPECT_EQ(near[3].asking, 2);
  EXPECT_EQ(near[4].asking, 0);
  EXPECT_EQ(near[3].argument, 0);
  const auto apart = accesses_of(loaded_twice("0x80", ""), 64);
  EXPECT_EQ(apart[3].sectors, 64U);
  EXPECT_EQ(apart[3].lines, 64U);
  EXPECT_EQ(apart[4].missed, 0);
}

TEST(ConstantLines, AreThoseOfMemoryConstantChase) {
  const auto missed = [](std::uint64_t lines) {
    ConstantLines held({.lines = 32, .sets = 8});
    for (std::uint64_t i = 0; i < lines; ++i) EXPECT_FALSE(held.load(i * 29 % lines));
    int count = 0;
    for (std::uint64_t i = 0; i < lines; ++i) count += held.load(i * 29 % lines) ? 0 : 1;
    return count;
  };
  EXPECT_EQ(missed(32), 0);
  EXPECT_EQ(missed(33), 5);
  EXPECT_EQ(missed(36), 20);
  EXPECT_EQ(missed(40), 40);
  EXPECT_FALSE(ConstantLines(ConstantCache()).load(0));
}

TEST(AccessProfile, CountsConstantsAtAddressesInRegisters) {
  // Each warp goes through so many lines of bank 3, of which `scale` bytes are between lanes.
  const auto of = [](const std::string& scale, const std::string& bytes) {
    return accesses_of(
        {"S2R R0, SR_TID.X", "LOP3.LUT R0, R0, 0x1f, RZ, 0xc0, !PT", "IMAD R2, R0, " + scale + ", RZ", "MOV R1, RZ",
         ".L_0:", "LDC R4, c[0x3][R2+-0x4]", "IADD3 R2, R2, 0x40, RZ", "IADD3 R1, R1, 0x40, RZ",
         "ISETP.LT.AND P0, PT, R1, " + bytes + ", PT", "@P0 BRA `(.L_0)", "EXIT"},
        64)[4];
  };
  const AccessSums held = of("0x0", "0x800"), missed = of("0x0", "0xa00"), apart = of("0x4", "0x40");
  EXPECT_EQ(held.executed, 64U);
  EXPECT_EQ(held.constants, 64U);
  EXPECT_EQ(held.missed, 0);
  EXPECT_EQ(missed.executed, 80U);
  EXPECT_EQ(missed.missed, 40) << "the other warp finds what the first one has missed";
  EXPECT_EQ(missed.asking, 40);
  EXPECT_EQ(apart.constants, 64U) << "each lane of both warps has its own";
  EXPECT_EQ(apart.constant_lines, 2 * 3) << "it begins 4 bytes before a line";
  EXPECT_EQ(apart.sectors, 0U) << "of global memory";
  EXPECT_EQ(accesses_of({"LDC R4, c[0x0][0x210]", "EXIT"})[0].constants, 0U);
}

TEST(AccessProfile, CountsPiecesOfLinesNextToEachOther) {
  EXPECT_EQ(accesses_of(loaded_twice("0x10", ""))[3].pieces, 1) << "four lines";
  EXPECT_EQ(accesses_of(loaded_twice("0x80", ""))[3].pieces, 1) << "32 lines";
  EXPECT_EQ(accesses_of(loaded_twice("0x100", ""))[3].pieces, 32) << "every second line";
  EXPECT_EQ(accesses_of(loaded_twice("0x10", ""), 64)[3].pieces, 2) << "of each warp one";
}

TEST(AccessProfile, DoesNotCountPiecesNextToThoseThatTheWarpHasAskedForAndNotWaitedFor) {
  const auto second = [](const char* second_load) {
    return accesses_of({"S2R R0, SR_TID.X", "LDC.64 R2, c[0x0][0x210]", "IMAD.WIDE R2, R0, 0x4, R2",
                        "LDG.E R4, desc[UR4][R2.64]", second_load, "EXIT"})[4]
        .pieces;
  };
  EXPECT_EQ(second("LDG.E R5, desc[UR4][R2.64+0x4]"), 0) << "the same line and the next one";
  EXPECT_EQ(second("LDG.E R5, desc[UR4][R2.64+0x80]"), 0) << "the next line";
  EXPECT_EQ(second("LDG.E R5, desc[UR4][R2.64+0x180]"), 1) << "two lines are between them";
}

TEST(AccessProfile, CountsRunsOfSectorsOfABlock) {
  EXPECT_EQ(accesses_of(loaded_twice("0x4", ""), 64)[3].runs, 1) << "eight sectors in a row, of two warps";
  EXPECT_EQ(accesses_of(loaded_twice("0x40", ""))[3].runs, 32) << "every second sector";
  const std::vector<std::string> halves = {
      "S2R R0, SR_TID.X",           "LDC.64 R2, c[0x0][0x210]",        "IMAD.WIDE R2, R0, 0x40, R2",
      "LDG.E R4, desc[UR4][R2.64]", "LDG.E R5, desc[UR4][R2.64+0x20]", "EXIT"};
  EXPECT_EQ(accesses_of(halves)[3].runs, 0.5) << "two instructions have half of a run each";
}

TEST(AccessProfile, ALoadWaitsForWhatItsWarpHasAskedForAndNotWaitedFor) {
  const auto made = accesses_of(loaded_twice("0x4", ""), 64);
  EXPECT_EQ(made[4].missed, 0) << "it is asked for once";
  EXPECT_EQ(made[4].asking, 2);
}

TEST(AccessProfile, CountsSectorsThatABlockAsksForFirstAndThatAWarpStoresToAgain) {
  const auto again = accesses_of(loaded_twice("0x80", ""), 64, 2 * line);
  EXPECT_EQ(again[3].first, 64);
  EXPECT_EQ(again[4].first, 0) << "L1 has no room for them, but the block has asked for them";
  const auto stored = [](const std::string& step) {
    return accesses_of({"S2R R0, SR_TID.X", "LDC.64 R2, c[0x0][0x210]", "IMAD.WIDE R2, R0, 0x4, R2", "MOV R10, RZ",
                        ".L_0:", "STG.E desc[UR4][R2.64], R8", "IADD3 R2, R2, " + step + ", RZ",
                        "IADD3 R10, R10, 0x1, RZ", "ISETP.LT.AND P0, PT, R10, 0x3, PT", "@P0 BRA `(.L_0)", "EXIT"},
                       64)[4];
  };
  EXPECT_EQ(stored("0x0").sectors, 24U);
  EXPECT_EQ(stored("0x0").returned, 16);
  EXPECT_EQ(stored("0x0").distinct, 8);
  EXPECT_EQ(stored("0x80").returned, 0) << "the second warp has stored there, not this one";
  EXPECT_EQ(stored("0x80").distinct, 16);
}

TEST(AccessProfile, LocalMemoryHasALineForEachWordOfAWarp) {
  const auto made = [](std::uint64_t l1_bytes) {
    return accesses_of({"STL.64 [R1+0x8], R4", "STL [R1+0x20], R6", "LDL.64 R8, [R1+0x8]", "LDL R9, [R1+0x20]",
                        "LDL R10, [R1+0x24]", "EXIT"},
                       64, l1_bytes);
  };
  const auto kept = made(much_l1);
  EXPECT_EQ(kept[2].sectors, 16U) << "of two warps, two lines each";
  EXPECT_EQ(kept[2].lines, 4U);
  EXPECT_EQ(kept[2].missed, 0);
  EXPECT_EQ(kept[3].missed, 0);
  EXPECT_EQ(kept[4].missed, 8) << "nothing was stored there";
  EXPECT_EQ(made(0)[2].missed, 16);
  const auto generic =
      accesses_of({"S2R R0, SR_TID.X", "STL [R1+0x4], R0", "IADD3 R2, P1, R1, c[0x0][0x20], RZ",
                   "IADD3.X R3, RZ, c[0x0][0x24], RZ, P1, !PT", "LD.E R4, desc[UR4][R2.64+0x4]", "EXIT"});
  EXPECT_EQ(generic[4].sectors, 4U);
  EXPECT_EQ(generic[4].missed, 0) << "by a generic address";
}

TEST(AccessProfile, CountsWhatABlockTouchesBeforeItComesBack) {
  const auto far = accesses_of(loaded_twice("0x80", ""), 128, 2 * line);
  EXPECT_EQ(far[3].again, 0);
  EXPECT_EQ(far[4].again, 128) << "L1 has no room for 128 lines";
  EXPECT_EQ(far[4].between, 128 * 127) << "each other line, once";
  EXPECT_EQ(accesses_of(loaded_twice("0x80", ""), 64)[4].again, 0) << "L1 has them";
  const auto loaded = [](const std::string& offset, std::uint64_t l1_bytes) {
    return accesses_of({"S2R R0, SR_TID.X", "LDC.64 R2, c[0x0][0x210]", "IMAD.WIDE R2, R0, 0x80, R2",
                        "STG.E desc[UR4][R2.64], R8", "LDG.E R4, desc[UR4][R2.64" + offset + "]", "EXIT"},
                       32, l1_bytes)[4];
  };
  EXPECT_EQ(loaded("", 0).again, 32) << "they were stored";
  EXPECT_EQ(loaded("", much_l1).missed, 0) << "and L1 has them";
  EXPECT_EQ(loaded("+0x20", much_l1).again, 0) << "another sector of the line was";
  EXPECT_EQ(loaded("+0x20", much_l1).missed, 32);
  // A line that each trip loads, past L1, counts once beside the lines that each trip loads anew.
  const auto table = accesses_of(
      {"S2R R0, SR_TID.X", "LDC.64 R2, c[0x0][0x210]", "LDC.64 R6, c[0x0][0x218]", "IMAD.WIDE R2, R0, 0x80, R2",
       "MOV R12, RZ", ".L_1:", "MOV R10, RZ", ".L_0:", "LDG.E.STRONG.GPU R8, desc[UR4][R6.64]",
       "LDG.E R4, desc[UR4][R2.64]", "IADD3 R2, R2, 0x1000, RZ", "IADD3 R10, R10, 0x1, RZ",
       "ISETP.LT.AND P0, PT, R10, 0x10, PT", "@P0 BRA `(.L_0)", "IADD3 R2, R2, -0x10000, RZ", "IADD3 R12, R12, 0x1, RZ",
       "ISETP.LT.AND P1, PT, R12, 0x2, PT", "@P1 BRA `(.L_1)", "EXIT"},
      32, line)[9 - 2];
  EXPECT_EQ(table.again, 16 * 32);
  EXPECT_NEAR(table.between / table.again, 16 * 32, 2);
}

/// Of a launch whose blocks load a line of the buffer that `chosen` leads to.
std::map<int, std::int64_t> extents_of(const std::string& chosen, double scale) {
  const LoadedKernel kernel = kernel_of({"S2R R0, SR_TID.X", "S2R R1, SR_CTAID.X", "LDC.64 R2, c[0x0][0x210]",
                                         "ISETP.NE.AND P0, PT, R1, RZ, PT", chosen, "IMAD.WIDE R2, R0, 0x4, R2",
                                         "LDG.E R4, desc[UR4][R2.64]", "EXIT"});
  ExecutedLaunch launch = launch_of(kernel, {buffer(0, 1 << 20), buffer(1, 1 << 20)}, 32, 2);
  for (LaunchBuffer& one : launch.buffers) one.part = true;
  const FlowGraph graph = flow_graph(kernel.listing, {});
  AccessProfile profile(kernel, graph, launch, {.l1_bytes = much_l1, .constants = {.lines = 32, .sets = 8}});
  const std::vector<std::uint64_t> blocks = {0, 1};
  EXPECT_TRUE(execute(kernel, launch, code_program(kernel, launch, Follow::Addresses), blocks, profile));
  return profile.extents(scale);
}

TEST(AccessProfile, BlocksThatWereNotExecutedMayAccessOtherBuffers) {
  const std::string by_block = "@P0 LDC.64 R2, c[0x0][0x218]";
  EXPECT_EQ(extents_of("NOP", 10), (std::map<int, std::int64_t>{{0, line}})) << "from the first line to the last";
  EXPECT_EQ(extents_of(by_block, 1), (std::map<int, std::int64_t>{{0, line}, {1, line}}));
  EXPECT_EQ(extents_of(by_block, 10), (std::map<int, std::int64_t>{{0, 10 * line}, {1, 10 * line}}));
  EXPECT_EQ(extents_of(by_block, 1e6).at(0), 2 << 20) << "there is no more";
}

TEST(AccessProfile, LoadsMissWhatHasNoRoomOrIsNotKept) {
  // Of 64 lines, L1 has room for two: the second loads find none of theirs.
  EXPECT_EQ(accesses_of(loaded_twice("0x80", ""), 64, 2 * line)[4].missed, 64);
  EXPECT_EQ(accesses_of(loaded_twice("0x80", ""), 64, 64 * line)[4].missed, 0);
  EXPECT_EQ(accesses_of(loaded_twice("0x4", ".STRONG.GPU"))[4].missed, 4);
  EXPECT_EQ(accesses_of(loaded_twice("0x4", ""), 32, much_l1, 3)[3].missed, 12) << "blocks have L1s of their own";
}

TEST(AccessProfile, WarpsWithTheSameAddressesAskOnce) {
  const auto made = accesses_of({"LDC.64 R2, c[0x0][0x218]", "LDG.E R4, desc[UR4][R2.64]", "EXIT"}, 128);
  EXPECT_EQ(made[1].sectors, 4U);
  EXPECT_EQ(made[1].missed, 1);
  EXPECT_EQ(made[1].asking, 4) << "all wait for the one that asked";
  EXPECT_EQ(made[1].distinct, 1);
  EXPECT_EQ(made[1].argument, 1);
}

TEST(AccessProfile, StoresThatFillASectorTogetherLeaveAsOne) {
  const auto halves = [](const std::vector<std::string>& between) {
    std::vector<std::string> lines = {"S2R R0, SR_TID.X",           "LDC.64 R2, c[0x0][0x210]",
                                      "IMAD.WIDE R2, R0, 0x20, R2", "LDC.64 R6, c[0x0][0x218]",
                                      "IMAD.WIDE R6, R0, 0x80, R6", "STG.E.128 desc[UR4][R2.64], R8"};
    lines.insert(lines.end(), between.begin(), between.end());
    lines.insert(lines.end(), {"STG.E.128 desc[UR4][R2.64+0x10], R8", "EXIT"});
    return accesses_of(lines);
  };
  const auto next = halves({});
  EXPECT_EQ(next[5].merged, 0);
  EXPECT_EQ(next[6].merged, 32);
  EXPECT_EQ(halves({"STG.E desc[UR4][R6.64], R8"})[7].merged, 0) << "a store of 32 lines is between them";
  EXPECT_EQ(halves({"LDG.E R10, desc[UR4][R6.64]"})[7].merged, 0) << "they are apart by a load";
}

TEST(AccessProfile, LanesWhosePredicateDoesNotHoldAccessNothing) {
  const auto made = accesses_of({"S2R R0, SR_TID.X", "ISETP.LT.AND P0, PT, R0, 0x8, PT", "LDC.64 R2, c[0x0][0x210]",
                                 "IMAD.WIDE R2, R0, 0x4, R2", "@P0 LDG.E R4, desc[UR4][R2.64]", "EXIT"},
                                64);
  EXPECT_EQ(made[4].executed, 2U);
  EXPECT_EQ(made[4].sectors, 1U);
}

TEST(AccessProfile, CountsTheTurnsOfBanks) {
  const auto turns = [](const std::string& scale) {
    return accesses_of({"S2R R0, SR_TID.X", "IMAD R0, R0, " + scale + ", RZ", "LDS R5, [R0]", "EXIT"})[2].wavefronts;
  };
  EXPECT_EQ(turns("0x4"), 1U);
  EXPECT_EQ(turns("0x8"), 2U);
  EXPECT_EQ(turns("0x20"), 8U);
}

}  // namespace
}  // namespace warpclock
