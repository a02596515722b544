#include "execute/execute.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "base/testing/matchers.hpp"
#include "execute/testing/listing.hpp"
#include "inspect/testing/recorded.hpp"

namespace warpclock {
namespace {

using testing::buffer;
using testing::executed;
using ::testing::HasSubstr;
using testing::kernel_of;
using testing::launch_of;
using testing::number;

std::vector<std::uint64_t> executions(const std::vector<InstructionProfile>& counts) {
  std::vector<std::uint64_t> all;
  for (const InstructionProfile& one : counts) all.push_back(one.executed);
  return all;
}

/// Each lane goes through a loop as often as its number says, and then all store.
const std::vector<std::string> divergent = {"S2R R0, SR_TID.X",
                                            "BSSY B0, `(.L_1)",
                                            "MOV R1, RZ",
                                            ".L_0:",
                                            "ISETP.GE.AND P0, PT, R1, R0, PT",
                                            "@P0 BRA `(.L_2)",
                                            "VIADD R1, R1, 0x1",
                                            "BRA `(.L_0)",
                                            ".L_2:",
                                            "BSYNC B0",
                                            ".L_1:",
                                            "LDC.64 R2, c[0x0][0x210]",
                                            "IMAD.WIDE R2, R1, 0x4, R2",
                                            "STG.E desc[UR4][R2.64], R1",
                                            "EXIT"};

TEST(Execute, LanesThatPartMeetAgain) {
  const LoadedKernel kernel = kernel_of(divergent);
  for (const Follow follow : {Follow::Path, Follow::Addresses, Follow::All}) {
    const auto made = executed(kernel, launch_of(kernel, {buffer(0, 4096)}, 48), follow);
    ASSERT_TRUE(made.done) << made.done.error().message();
    // The first warp comes to the loop's begin 32 times, the second one 48 times; BSYNC is executed once by each split.
    EXPECT_EQ(executions(made.counts), (std::vector<std::uint64_t>{2, 2, 2, 80, 80, 78, 78, 48, 2, 2, 2, 2}));
    EXPECT_EQ(made.counts.back().lanes, 48U);
    ASSERT_EQ(made.loops.size(), 1U);
    EXPECT_EQ(made.loops[0].entries, 2U);
    EXPECT_EQ(made.loops[0].trips, 80U);
    if (follow == Follow::Path) continue;
    EXPECT_EQ(made.counts[10].sectors, 6U);
    EXPECT_EQ(made.counts[10].access_lanes, 48U);
  }
}

TEST(Execute, AConvergenceBarrierGoesThroughARegister) {
  std::vector<std::string> moved = divergent;
  moved.insert(moved.begin() + 2, {"BMOV.32.CLEAR R7, B0", "BMOV.32 B1, R7"});
  *std::ranges::find(moved, "BSYNC B0") = "BSYNC B1";
  const LoadedKernel kernel = kernel_of(moved);
  const auto made = executed(kernel, launch_of(kernel, {buffer(0, 4096)}, 48));
  ASSERT_TRUE(made.done) << made.done.error().message();
  EXPECT_EQ(made.counts.back().executed, 2U) << "all lanes of a warp have met";
  EXPECT_EQ(made.counts.back().lanes, 48U);
  *std::ranges::find(moved, "BMOV.32 B1, R7") = "BMOV.32 B1, R30";
  moved.insert(moved.begin(), "LDC R30, c[0x0][0x300]");
  const LoadedKernel unknown = kernel_of(moved);
  EXPECT_THAT(executed(unknown, launch_of(unknown, {buffer(0, 4096)}, 48)).done.error().text,
              HasSubstr("where control goes is not followed"));
}

TEST(Execute, RegistersThatNothingHasSetDecideNothing) {
  // The lowest bit is set, and the others are masked.
  const LoadedKernel kernel =
      kernel_of({"LOP3.LUT R4, R4, 0xfffffffe, RZ, 0xc0, !PT", "LOP3.LUT R4, R4, 0x1, RZ, 0xfc, !PT",
                 "LOP3.LUT R4, R4, 0x1, RZ, 0xc0, !PT", "ISETP.NE.AND P0, PT, R4, RZ, PT", "@P0 EXIT", "EXIT"});
  const auto made = executed(kernel, launch_of(kernel, {}));
  ASSERT_TRUE(made.done) << made.done.error().message();
  EXPECT_EQ(executions(made.counts).back(), 0U);
}

/// Each thread writes its index to shared memory, and reads it through an address whose high word `high` sets.
std::vector<std::string> through_window(const std::string& high) {
  return {"S2R R0, SR_TID.X",
          "IMAD.SHL.U32 R2, R0, 0x4, RZ",
          "STS [R2+0x400], R0",
          "BAR.SYNC.DEFER_BLOCKING 0x0",
          high,
          "LD.E R4, desc[UR4][R2.64+0x400]",
          "ISETP.EQ.AND P0, PT, R4, 0x5, PT",
          "@P0 EXIT",
          "EXIT"};
}

TEST(Execute, GenericAddressesOfSharedMemory) {
  const LoadedKernel kernel = kernel_of(through_window("S2R R3, SR_SWINHI"));
  auto launch = launch_of(kernel, {});
  launch.shared_bytes = 1024;
  const auto made = executed(kernel, launch);
  ASSERT_TRUE(made.done) << made.done.error().message();
  EXPECT_EQ(made.counts.back().lanes, 31U) << "one thread reads 5";
  EXPECT_EQ(made.counts[5].sectors, 0U);
  EXPECT_EQ(made.counts[5].wavefronts, 1U);
  const LoadedKernel elsewhere = kernel_of(through_window("MOV R3, RZ"));
  EXPECT_EQ(executed(elsewhere, launch).done.error().code, "address");
}

TEST(Execute, GenericAddressesOfLocalMemory) {
  const LoadedKernel kernel =
      kernel_of({"S2R R0, SR_TID.X", "LDC R1, c[0x0][0x28]", "VIADD R1, R1, 0xfffffff8", "STL [R1+0x4], R0",
                 "IADD3 R2, P1, R1, c[0x0][0x20], RZ", "IADD3.X R3, RZ, c[0x0][0x24], RZ, P1, !PT",
                 "LD.E R4, desc[UR4][R2.64+0x4]", "ISETP.EQ.AND P0, PT, R4, 0x5, PT", "@P0 EXIT", "EXIT"});
  const auto made = executed(kernel, launch_of(kernel, {}));
  ASSERT_TRUE(made.done) << made.done.error().message();
  EXPECT_EQ(made.counts.back().lanes, 31U) << "one thread reads 5";
}

TEST(Execute, TheRankInAClusterCountsAllAxes) {
  LoadedKernel kernel = kernel_of({"S2R R0, SR_CgaCtaId", "ISETP.EQ.AND P0, PT, R0, 0x3, PT", "@P0 EXIT", "EXIT"});
  auto launch = launch_of(kernel, {});
  launch.grid = {2, 4, 1};
  const auto others = [&](std::array<std::uint32_t, 3> cluster) {
    set_cluster(launch, cluster);
    return executed(kernel, launch).counts.back().executed;
  };
  EXPECT_EQ(others({2, 2, 1}), 6U) << "one of each two clusters of four blocks";
  EXPECT_EQ(others({1, 2, 1}), 8U) << "ranks are 0 and 1";
  EXPECT_EQ(others({1, 4, 1}), 6U);
}

TEST(Execute, OnlyWhatDecidesIsExecuted) {
  const LoadedKernel kernel =
      kernel_of({"S2R R0, SR_TID.X", "LDC.64 R2, c[0x0][0x210]", "IMAD.WIDE R2, R0, 0x4, R2",
                 "LDG.E R4, desc[UR4][R2.64]", "FFMA R4, R4, R4, R4", "STG.E desc[UR4][R2.64], R4", "EXIT"});
  const auto launch = launch_of(kernel, {buffer(0, 4096)});
  const auto indices = [&](Follow follow) {
    std::vector<std::uint32_t> all;
    for (const CodeStep& step : code_program(kernel, launch, follow).steps) all.push_back(step.index);
    return all;
  };
  EXPECT_EQ(indices(Follow::Path), (std::vector<std::uint32_t>{6, 7}));
  EXPECT_EQ(indices(Follow::Addresses), (std::vector<std::uint32_t>{0, 1, 2, 3, 5, 6, 7}));
  EXPECT_EQ(indices(Follow::All).size(), 8U);
  const auto made = executed(kernel, launch);
  EXPECT_EQ(executions(made.counts), std::vector<std::uint64_t>(7, 1));
  EXPECT_EQ(made.counts[3].sectors, 4U);
}

/// The trips of the loop are a word that a warp loads, through shared memory.
const std::vector<std::string> by_memory = {"S2R R0, SR_TID.X",
                                            "LDC.64 R2, c[0x0][0x210]",
                                            "LDG.E R4, desc[UR4][R2.64+0x14]",
                                            "STS [0x400], R4",
                                            "BAR.SYNC.DEFER_BLOCKING 0x0",
                                            "LDS R5, [0x400]",
                                            ".L_0:",
                                            "VIADD R5, R5, 0xffffffff",
                                            "ISETP.NE.AND P0, PT, R5, RZ, PT",
                                            "@P0 BRA `(.L_0)",
                                            "EXIT"};

TEST(Execute, MemoryDecides) {
  const LoadedKernel kernel = kernel_of(by_memory);
  const auto made = executed(kernel, launch_of(kernel, {buffer(0, 4096)}, 64));
  ASSERT_TRUE(made.done) << made.done.error().message();
  EXPECT_EQ(made.loops[0].trips, 10U);
  EXPECT_EQ(made.loops[0].entries, 2U);
  auto unfilled = launch_of(kernel, {buffer(0, 4096)}, 64);
  unfilled.buffers[0].fill.reset();
  const auto refused = executed(kernel, unfilled);
  ASSERT_FALSE(refused.done);
  EXPECT_EQ(refused.done.error().code, "unknown");
  EXPECT_EQ(
      refused.done.error().text,
      "what 0x0050 LDS loads decides the trips of loop 0: give what its buffer holds: --buffer N=SIZE:iota, random "
      "or FILE");
}

TEST(Execute, AsksForArguments) {
  const LoadedKernel kernel = kernel_of({"LDC R0, c[0x0][0x218]", ".L_0:", "VIADD R0, R0, 0xffffffff",
                                         "ISETP.NE.AND P0, PT, R0, RZ, PT", "@P0 BRA `(.L_0)", "EXIT"});
  const auto made = executed(kernel, launch_of(kernel, {number(1, 7)}));
  ASSERT_TRUE(made.done) << made.done.error().message();
  EXPECT_EQ(made.loops[0].trips, 7U);
  const auto refused = executed(kernel, launch_of(kernel, {}));
  ASSERT_FALSE(refused.done);
  EXPECT_EQ(refused.done.error().text,
            "argument 1 decides the trips of loop 0: give --arg 1=… or, if it is the address of a buffer, --buffer "
            "1=SIZE");
}

TEST(Execute, MeetsAtBarriers) {
  // Two warps hand over through named barriers: one arrives, the other waits.
  const LoadedKernel kernel = kernel_of(
      {"S2R R0, SR_TID.X", "ISETP.GE.U32.AND P0, PT, R0, 0x20, PT", "@P0 BRA `(.L_0)", "BAR.ARV 0x1, 0x40", "EXIT",
       ".L_0:", "BAR.SYNC.DEFER_BLOCKING 0x1, 0x40", "ISETP.NE.AND P1, PT, R0, 0x21, PT",
       "BAR.RED.AND.DEFER_BLOCKING 0x2, 0x20, P1", "B2R.RESULT RZ, P2", "@P2 BRA `(.L_1)", "NOP", ".L_1:", "EXIT"});
  const auto made = executed(kernel, launch_of(kernel, {}, 64));
  ASSERT_TRUE(made.done) << made.done.error().message();
  EXPECT_EQ(executions(made.counts), (std::vector<std::uint64_t>{2, 2, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1}));
  const LoadedKernel alone = kernel_of({"BAR.SYNC.DEFER_BLOCKING 0x1, 0x80", "EXIT"});
  const auto refused = executed(alone, launch_of(alone, {}, 64));
  ASSERT_FALSE(refused.done);
  EXPECT_EQ(refused.done.error().text, "all warps wait for each other: 2 at 0x0000 BAR.SYNC.DEFER_BLOCKING");
}

TEST(Execute, WaitsForMbarriers) {
  // One thread copies 64 bytes, and all wait for them.
  const std::vector<std::string> lines = {"S2R R0, SR_TID.X",
                                          "UMOV UR4, 0x400",
                                          "ISETP.NE.AND P0, PT, R0, RZ, PT",
                                          "@P0 BRA `(.L_0)",
                                          "UMOV UR8, 0x1ffffe",
                                          "UMOV UR9, 0x7ffff800",
                                          "SYNCS.EXCH.64 URZ, [UR4], UR8",
                                          "MOV R2, 0x40",
                                          "SYNCS.ARRIVE.TRANS64 RZ, [UR4], R2",
                                          "ULDC.64 UR6, c[0x0][0x210]",
                                          "UMOV UR10, 0x480",
                                          "UMOV UR11, 0x400",
                                          "UMOV UR12, 0x4",
                                          "UBLKCP.S.G [UR10], [UR6], UR12",
                                          ".L_0:",
                                          "BAR.SYNC.DEFER_BLOCKING 0x0",
                                          "SYNCS.PHASECHK.TRANS64.TRYWAIT P1, [UR4], RZ",
                                          "@!P1 BRA `(.L_0)",
                                          "LDS R4, [0x488]",
                                          "ISETP.NE.AND P2, PT, R4, 0x2, PT",
                                          "@P2 BRA `(.L_0)",
                                          "EXIT"};
  const LoadedKernel kernel = kernel_of(lines);
  const auto made = executed(kernel, launch_of(kernel, {buffer(0, 4096)}, 64));
  ASSERT_TRUE(made.done) << made.done.error().message();
  // Nothing brings the first thread and the others of its warp together again.
  EXPECT_EQ(made.counts[15].executed, 3U);
  EXPECT_EQ(made.counts[20].executed, 3U);
  // The copied words decide the last jump.
  EXPECT_EQ(made.counts[19].executed, 3U);
  auto without = lines;
  without[13] = "NOP";
  const LoadedKernel waits = kernel_of(without);
  const auto refused = executed(waits, launch_of(waits, {buffer(0, 4096)}, 64));
  ASSERT_FALSE(refused.done);
  EXPECT_EQ(refused.done.error().code, "deadlock");
  EXPECT_THAT(refused.done.error().text, HasSubstr("3 at 0x00f0 SYNCS.PHASECHK.TRANS64.TRYWAIT"));
}

// Each of four warps arrives at its own mbarrier in two blocks of a cluster. The last warp makes them, in phases of
// which the first has parity 1, and then waits for all four, each lane for one.
const std::vector<std::string> of_a_cluster = {"S2R R0, SR_TID.X",
                                               "S2UR UR4, SR_CgaCtaId",
                                               "SHF.R.U32.HI R1, RZ, 0x5, R0",
                                               "LOP3.LUT R2, R0, 0x1f, RZ, 0xc0, !PT",
                                               "ISETP.NE.AND P0, PT, R1, 0x4, PT",
                                               "@P0 BRA `(.L_0)",
                                               "UMOV UR5, 0x400",
                                               "UPRMT UR5, UR5, 0x4210, UR4",
                                               "UMOV UR8, 0x1ffffc",
                                               "UMOV UR9, 0xfffff000",
                                               "SYNCS.EXCH.64 URZ, [UR5], UR8",
                                               "SYNCS.EXCH.64 URZ, [UR5+0x8], UR8",
                                               "SYNCS.EXCH.64 URZ, [UR5+0x10], UR8",
                                               "SYNCS.EXCH.64 URZ, [UR5+0x18], UR8",
                                               ".L_0:",
                                               "UCGABAR_ARV",
                                               ".L_2:",
                                               "USETMAXREG.TRY_ALLOC.CTAPOOL UP1, 0xa8",
                                               "PLOP3.LUT P3, PT, PT, PT, UP1, 0xa0, 0x0",
                                               "@!P3 BRA `(.L_2)",
                                               "UCGABAR_WAIT",
                                               "@!P0 BRA `(.L_1)",
                                               "ISETP.GT.U32.AND P1, PT, R2, 0x1, PT",
                                               "IMAD.SHL.U32 R3, R2, 0x1000000, RZ",
                                               "IMAD.SHL.U32 R4, R1, 0x8, RZ",
                                               "IADD3 R3, R3, R4, RZ",
                                               "@!P1 SYNCS.ARRIVE.TRANS64.RED.A1T0 RZ, [R3+0x400], RZ",
                                               "EXIT",
                                               ".L_1:",
                                               "ISETP.GT.U32.AND P2, PT, R2, 0x3, PT",
                                               "@P2 EXIT",
                                               "IMAD.SHL.U32 R4, R2, 0x8, RZ",
                                               "MOV R5, 0x80000000",
                                               "SYNCS.PHASECHK.TRANS64.TRYWAIT P1, [R4+0x400], R5",
                                               "EXIT"};

TEST(Execute, BlocksOfAClusterMeet) {
  const LoadedKernel kernel = kernel_of(of_a_cluster);
  auto launch = launch_of(kernel, {}, 160);
  set_cluster(launch, {2, 1, 1});
  const auto made = executed(kernel, launch);
  ASSERT_TRUE(made.done) << made.done.error().message();
  EXPECT_EQ(made.counts.back().executed, 1U) << "the wait has ended";
  auto without = of_a_cluster;
  const LoadedKernel ends = kernel_of({"UMOV UR4, 0x400", "SYNCS.CCTL.IV [UR4]", "EXIT"});
  EXPECT_TRUE(executed(ends, launch_of(ends, {})).done) << "mbarrier.inval";
  *std::ranges::find(without, "ISETP.GT.U32.AND P1, PT, R2, 0x1, PT") = "ISETP.GT.U32.AND P1, PT, R2, RZ, PT";
  const LoadedKernel fewer = kernel_of(without);
  const auto waits = executed(fewer, launch);
  ASSERT_FALSE(waits.done) << "no warp arrives for the other block";
  EXPECT_EQ(waits.done.error().code, "deadlock");
}

TEST(Execute, ABlockHandsWorkToAnotherOfItsCluster) {
  // The first one stores 3 for the second one, whose mbarrier counts the four bytes.
  std::vector<std::string> lines = {"S2UR UR4, SR_CgaCtaId",
                                    "UMOV UR5, 0x400",
                                    "UPRMT UR5, UR5, 0x4210, UR4",
                                    "UMOV UR8, 0x1ffffe",
                                    "UMOV UR9, 0x7ffff800",
                                    "SYNCS.EXCH.64 URZ, [UR5], UR8",
                                    "UCGABAR_ARV",
                                    "UCGABAR_WAIT",
                                    "UISETP.NE.AND UP0, UPT, UR4, URZ, UPT",
                                    "BRA.U UP0, `(.L_1)",
                                    "MOV R8, 0x1000400",
                                    "MOV R9, 0x1000400",
                                    "MOV R3, 0x3",
                                    "MOV R4, 0x4",
                                    "STAS [R8.64+0x10], R3",
                                    "SYNCS.ARRIVE.TRANS64.RED RZ, [R9+URZ], R4",
                                    "EXIT",
                                    ".L_1:",
                                    "SYNCS.PHASECHK.TRANS64.TRYWAIT P1, [UR5], RZ",
                                    "LDS R6, [0x410]",
                                    ".L_2:",
                                    "IADD3 R6, R6, -0x1, RZ",
                                    "ISETP.NE.AND P2, PT, R6, RZ, PT",
                                    "@P2 BRA `(.L_2)",
                                    "EXIT"};
  const LoadedKernel kernel = kernel_of(lines);
  auto launch = launch_of(kernel, {}, 1, 2);
  set_cluster(launch, {2, 1, 1});
  const auto made = executed(kernel, launch);
  ASSERT_TRUE(made.done) << made.done.error().message();
  EXPECT_EQ(made.counts[14].executed, 1U);
  EXPECT_EQ(made.counts[19].executed, 3U);
  *std::ranges::find(lines, "MOV R4, 0x4") = "MOV R4, 0x8";
  const LoadedKernel more = kernel_of(lines);
  const auto waits = executed(more, launch);
  ASSERT_FALSE(waits.done) << "it waits for more bytes than come";
  EXPECT_EQ(waits.done.error().code, "deadlock");
}

TEST(Execute, BlocksAtOnceReadACounterInTurns) {
  const LoadedKernel kernel = kernel_of({"LDC.64 R2, c[0x0][0x210]", "MOV R4, 0x1",
                                         ".L_0:", "ATOMG.E.ADD.STRONG.GPU PT, R5, desc[UR4][R2.64], R4",
                                         "ISETP.LT.AND P0, PT, R5, 0x8, PT", "@P0 BRA `(.L_0)", "EXIT"});
  const auto launch = launch_of(kernel, {buffer(0, 4096)}, 1, 4);
  const CodeProgram program = code_program(kernel, launch, Follow::Addresses);
  const FlowGraph graph = flow_graph(kernel.listing, kernel.facts.indirect);
  for (const bool at_once : {false, true}) {
    Profile profile(kernel, graph);
    const std::array<std::uint64_t, 1> second{1};
    const auto done = execute(kernel, launch, program, second, profile, {.at_once = at_once});
    ASSERT_TRUE(done) << done.error().message();
    // It gets 1, 5 and 9, or all from 0 to 8.
    EXPECT_EQ(profile.instructions()[2].executed, at_once ? 3U : 9U);
  }
}

/// A block looks at a word until it is 1. The block `who` stores it there, after 9 trips of a loop.
std::vector<std::string> handed_over(const std::string& who, const std::string& look) {
  return {"LDC.64 R2, c[0x0][0x210]",
          "S2R R0, SR_CTAID.X",
          "MOV R8, 0x1",
          "ISETP.NE.AND P0, PT, R0, " + who + ", PT",
          "@P0 BRA `(.L_1)",
          "MOV R4, RZ",
          ".L_0:",
          "IADD3 R4, R4, 0x1, RZ",
          "ISETP.LT.AND P1, PT, R4, 0x9, PT",
          "@P1 BRA `(.L_0)",
          "MOV R5, 0x1",
          "STG.E.STRONG.GPU desc[UR4][R2.64], R5",
          ".L_1:",
          "MOV R9, 0x1",
          look,
          "ISETP.NE.AND P2, PT, R7, 0x1, PT",
          "@P2 BRA `(.L_1)",
          "EXIT"};
}

TEST(Execute, ABlockWaitsForWhatAnotherOneStores) {
  /// Tells what the asked block looks at, and how often.
  struct Reader final : Profile {
    using Profile::Profile;
    void looked(const WarpPlace&, const StoredBefore& store) override { found.push_back(store.block); }
    std::vector<std::uint64_t> found;
  };
  constexpr const char *load = "LDG.E.STRONG.GPU R7, desc[UR4][R2.64]",
                       *compare = "ATOMG.E.CAS.STRONG.GPU PT, R7, [R2], R8, R9";
  for (const char* look : {load, compare}) {
    const LoadedKernel kernel = kernel_of(handed_over("0x2", look));
    auto launch = launch_of(kernel, {buffer(0, 4096)}, 1, 4);
    launch.buffers[0].contents = std::string(4, '\0');
    const CodeProgram program = code_program(kernel, launch, Follow::Addresses);
    EXPECT_TRUE(program.polls) << look;
    const FlowGraph graph = flow_graph(kernel.listing, kernel.facts.indirect);
    Reader reader(kernel, graph);
    const std::array<std::uint64_t, 1> first{0};
    const auto done = execute(kernel, launch, program, first, reader);
    ASSERT_TRUE(done) << done.error().message();
    EXPECT_EQ(reader.instructions()[12].executed, 1U) << "however often it would look on a GPU: " << look;
    EXPECT_EQ(reader.instructions()[10].executed, 0U) << "the third block is not asked for";
    EXPECT_EQ(reader.found, std::vector<std::uint64_t>{2});
    const LoadedKernel nobody = kernel_of(handed_over("0x7fffffff", look));
    const auto waits = execute(nobody, launch, code_program(nobody, launch, Follow::Addresses), first, reader);
    ASSERT_FALSE(waits);
    EXPECT_EQ(waits.error().code, "deadlock") << look;
    auto many = launch;
    many.grid[0] = 0x7fffffff;
    const auto limited = execute(nobody, many, code_program(nobody, many, Follow::Addresses), first, reader,
                                 {.warp_instructions = 1 << 20});
    EXPECT_EQ(failure_of(limited).code, "limit");
  }
}

TEST(Execute, WhatDoesNotWaitForOtherBlocks) {
  const auto polls = [](const std::vector<std::string>& loop) {
    std::vector<std::string> lines = {"LDC.64 R2, c[0x0][0x210]", "MOV R4, RZ", ".L_0:"};
    lines.insert(lines.end(), loop.begin(), loop.end());
    lines.insert(lines.end(), {"@P0 BRA `(.L_0)", "EXIT"});
    const LoadedKernel kernel = kernel_of(lines);
    return code_program(kernel, launch_of(kernel, {buffer(0, 4096)}), Follow::Addresses).polls;
  };
  const std::string load = "LDG.E.STRONG.SYS R4, desc[UR4][R2.64]", found = "ISETP.NE.AND P0, PT, R4, 0x5, PT";
  EXPECT_TRUE(polls({load, found}));
  EXPECT_FALSE(polls({"LDG.E R4, desc[UR4][R2.64]", found})) << "it is loaded once and for all";
  EXPECT_FALSE(polls({load, found, "IADD3 R2, R2, 0x4, RZ"})) << "it looks at one place after the other";
  EXPECT_FALSE(polls({"IADD3 R5, R4, 0x1, RZ", "ATOMG.E.CAS.STRONG.GPU PT, R6, [R2], R4, R5",
                      "ISETP.NE.AND P0, PT, R6, R4, PT", "MOV R4, R6"}))
      << "it adds";
}

TEST(Execute, KeepsUniformPredicatesInARegister) {
  const LoadedKernel kernel =
      kernel_of({"UISETP.EQ.AND UP2, UPT, URZ, URZ, UPT", "UP2UR UR4, UPR, URZ, 0x4", "MOV R4, UR4",
                 ".L_0:", "IADD3 R4, R4, -0x1, RZ", "ISETP.NE.AND P0, PT, R4, RZ, PT", "@P0 BRA `(.L_0)", "EXIT"});
  const auto made = executed(kernel, launch_of(kernel, {}));
  ASSERT_TRUE(made.done) << made.done.error().message();
  EXPECT_EQ(made.counts[3].executed, 4U) << "the bit of UP2";
}

TEST(ExecutedLaunch, HasTheExtentsOfAClusterWherePtxasReadsThem) {
  const LoadedKernel kernel = kernel_of({"EXIT"});
  auto launch = launch_of(kernel, {});
  EXPECT_EQ(launch.constants.at(0x140), 0U) << "%is_explicit_cluster";
  EXPECT_EQ(launch.constants.at(0x144), 1U);
  set_cluster(launch, {4, 1, 1});
  EXPECT_EQ(launch.constants.at(0x140), 1U);
  EXPECT_EQ(launch.constants.at(0x144), 4U);
  EXPECT_EQ(launch.constants.at(0x188), 4U) << "%cluster_nctarank";
  EXPECT_EQ(launch.constants.at(0x148), 1U);
  EXPECT_EQ(launch.constants.at(0x150), 0x3e800000U) << "0.25";
  set_cluster(launch, {3, 1, 1});
  EXPECT_FALSE(launch.constants.contains(0x150));
}

TEST(Execute, CallsAndReturns) {
  const LoadedKernel kernel =
      kernel_of({"MOV R20, 0x20", "CALL.REL.NOINC `(.L_0)", "MOV R20, 0x40", "CALL.REL.NOINC `(.L_0)", "EXIT",
                 ".L_0:", "VIADD R1, R1, 0x1", "RET.REL.NODEC R20 `(k)"});
  const auto made = executed(kernel, launch_of(kernel, {}));
  ASSERT_TRUE(made.done) << made.done.error().message();
  EXPECT_EQ(executions(made.counts), (std::vector<std::uint64_t>{1, 1, 1, 1, 1, 2, 2}));
}

TEST(Execute, HasOneErrorForEachWrongAccess) {
  const auto error = [](const std::vector<std::string>& lines, const std::vector<GivenArgument>& arguments) {
    const LoadedKernel kernel = kernel_of(lines);
    const auto made = executed(kernel, launch_of(kernel, arguments));
    return made.done ? std::string("none") : made.done.error().code + ": " + made.done.error().text;
  };
  const std::string load = "LDG.E R4, desc[UR4][R2.64+0x10]";
  EXPECT_EQ(error({"LDC.64 R2, c[0x0][0x210]", load, "EXIT"}, {buffer(0, 16)}),
            "address: 0x0010 LDG.E: lane 0 accesses byte 16 of the buffer of argument 0, which has 16: give --buffer "
            "0=SIZE");
  EXPECT_EQ(error({"MOV R2, 0x4", "MOV R3, RZ", load, "EXIT"}, {buffer(0, 16)}),
            "address: 0x0020 LDG.E: lane 0 accesses 0x14, which is in no buffer: give the ones that the kernel uses, "
            "--buffer N=SIZE");
  EXPECT_EQ(error({"MOV R2, 0x7f0", "LDS R4, [R2+0x10]", "EXIT"}, {}),
            "address: 0x0010 LDS: lane 0 accesses shared memory at 0x800; a block has 1024 bytes from 0x400 on: give "
            "the dynamic ones in --launch GRID,BLOCK,SHARED");
  EXPECT_EQ(error({"LDC.64 R2, c[0x0][0x210]", "LDG.E R4, desc[UR4][R2.64+0x2]", "EXIT"}, {buffer(0, 16)}),
            "address: 0x0010 LDG.E: lane 0 accesses 4 bytes at 0x10000000002, which is no multiple of them");
  EXPECT_EQ(error({"MUFU.TANH R2, R2", "LDS R4, [R2]", "EXIT"}, {}),
            "unknown: the result of 0x0000 MUFU.TANH decides the address of 0x0010 LDS: which is not followed");
  EXPECT_EQ(error({".L_0:", "BRA `(.L_0)"}, {}),
            "limit: 0x0000 BRA: the run has more warp instructions than its limit: a loop without an end, or too many "
            "blocks");
  EXPECT_EQ(error({"NOP"}, {}), "unfollowed: the end of the kernel: control leaves the kernel's code");
  EXPECT_EQ(error({"BRX R2 -0x10", "EXIT"}, {}), "unfollowed: 0x0000 BRX: where control goes is not followed");
}

TEST(Execute, KernelsOfACompiler) {
  // pipeline of kernels.cu: cp.async, ldmatrix, mma; its argument is the number of rounds.
  const LoadedKernel& pipeline = testing::recorded_kernel("pipeline");
  const auto launch = executed_launch(pipeline.facts, "sm_90a", {1, 1, 1}, {32, 1, 1}, 0,
                                      {buffer(0, 1 << 20), buffer(1, 4096), {2, {.type = CallType::I32, .value = 9}}});
  ASSERT_TRUE(launch) << launch.error().message();
  const auto made = executed(pipeline, *launch);
  ASSERT_TRUE(made.done) << made.done.error().message();
  ASSERT_EQ(made.loops.size(), 1U);
  EXPECT_EQ(made.loops[0].trips, 8U);
  // Every lane copies 16 bytes: 16 sectors of global memory, and four turns of the banks.
  EXPECT_EQ(made.counts[0x100 / 16].sectors, 16U);
  EXPECT_EQ(made.counts[0x100 / 16].wavefronts, 4U);
  EXPECT_EQ(made.counts[0x1f0 / 16].sectors, 128U);
  const auto refused = executed(pipeline, launch_of(pipeline, {buffer(0, 1 << 20)}));
  ASSERT_FALSE(refused.done);
  EXPECT_THAT(refused.done.error().text, HasSubstr("argument 2 decides"));
}

}  // namespace
}  // namespace warpclock
