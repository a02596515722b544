#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/testing/matchers.hpp"
#include "code/testing/listing.hpp"
#include "execute/mbarriers.hpp"
#include "model/testing/measured.hpp"
#include "predict/meeting/block_streams.hpp"
#include "predict/meeting/mbarrier_use.hpp"
#include "predict/simulation/run.hpp"

namespace warpclock {
namespace {

constexpr std::uint32_t place = 0x400;

bool arrive(Mbarriers& all, std::uint32_t arrivals, double cycle, std::int64_t bytes = 0) {
  return all.meet({.kind = Meeting::Kind::Arrive, .place = place, .arrivals = arrivals, .bytes = bytes}, cycle);
}

bool complete(Mbarriers& all, std::int64_t bytes, double cycle) {
  return all.meet({.kind = Meeting::Kind::Copy, .place = place, .bytes = -bytes}, cycle);
}

TEST(Mbarriers, APhaseEndsWithTheLastArrivalOrByte) {
  Mbarriers all;
  EXPECT_FALSE(arrive(all, 1, 0)) << "never initialized";
  EXPECT_FALSE(all.knows(place));
  all.meet(initialization(place, 0x1ffffc, 0x7ffff000), 0);
  EXPECT_EQ(all.ended({place, true}), 0) << "the phase before the first one";
  EXPECT_EQ(all.ended({place, false}), std::nullopt);
  EXPECT_FALSE(arrive(all, 1, 10));
  EXPECT_FALSE(arrive(all, 0, 20, 64));
  EXPECT_EQ(all.expected(place), 64);
  EXPECT_FALSE(arrive(all, 1, 20));
  EXPECT_FALSE(complete(all, 32, 900));
  EXPECT_TRUE(complete(all, 32, 700));
  EXPECT_EQ(all.ended({place, false}), 900);
  EXPECT_EQ(all.ended({place, true}), std::nullopt);
  EXPECT_TRUE(arrive(all, 2, 950)) << "the next phase has all arrivals again";
  EXPECT_EQ(all.ended({place, true}), 950);
}

TEST(Mbarriers, BytesMayComeBeforeTheyAreExpected) {
  Mbarriers all;
  all.meet(initialization(place, 0x1ffffe, 0x7ffff800), 0);
  EXPECT_FALSE(complete(all, 64, 700));
  EXPECT_TRUE(arrive(all, 1, 20, 64));
  EXPECT_EQ(all.ended({place, false}), 700);
}

TEST(Mbarriers, ThePhaseThatIsFirstHasTheParityOfTheHighestBit) {
  Mbarriers all;
  all.meet(initialization(place, 0x1ffff4, 0xffffd000), 0);
  EXPECT_EQ(all.ended({place, false}), 0) << "who fills the buffer does not wait for the first time";
  EXPECT_EQ(all.ended({place, true}), std::nullopt);
  EXPECT_FALSE(arrive(all, 5, 10));
  EXPECT_TRUE(arrive(all, 1, 20));
  EXPECT_EQ(all.ended({place, true}), 20);
  EXPECT_EQ(all.ended({place, false}), std::nullopt);
}

MbarrierUse use_of(const std::string& text) { return mbarrier_use(parse_instruction(text).value()).value(); }

TEST(MbarrierUse, IsWhatThePtxSays) {
  EXPECT_EQ(use_of("SYNCS.EXCH.64 URZ, [UR6+0x8], UR8").kind, MbarrierUse::Kind::Initialize);
  EXPECT_TRUE(use_of("SYNCS.PHASECHK.TRANS64.TRYWAIT P0, [UR6], R3").sleeps);
  EXPECT_FALSE(use_of("SYNCS.PHASECHK.TRANS64 P0, [UR6], R3").sleeps);
  EXPECT_EQ(use_of("UBLKCP.S.G [UR6], [UR4], UR8").kind, MbarrierUse::Kind::Copy);
  EXPECT_EQ(use_of("UTMALDG.2D [UR8], [UR6]").kind, MbarrierUse::Kind::Copy);
  EXPECT_TRUE(use_of("SYNCS.ARRIVE.TRANS64.ART0 RZ, [UR6], R3").numbered);
  EXPECT_FALSE(use_of("SYNCS.ARRIVE.TRANS64.A1T0 RZ, [UR6], RZ").numbered);
  EXPECT_EQ(use_of("ARRIVES.LDGSTSBAR.64.ARVCNT [UR6]").kind, MbarrierUse::Kind::Arrive);
  EXPECT_FALSE(mbarrier_use(parse_instruction("UBLKCP.G.S [UR6], [UR4], UR8").value()));
}

ExecutedLaunch launch_of(int threads) {
  return {.block = {static_cast<std::uint32_t>(threads), 1, 1}, .shared_bytes = 4096};
}

LoadedKernel kernel_of(const std::string& code) {
  LoadedKernel made;
  made.listing = testing::make_listing(code);
  made.listing.target = "sm_90a";
  return made;
}

constexpr const char* mbarrier_at = "s1 | UMOV UR4, 0x400\ns1 | UMOV UR12, 0x1ffffe\ns1 | UMOV UR13, 0x7ffff800\n";

std::optional<ChosenWay> nowhere(const WarpPlace&, const CodeStep&) { return std::nullopt; }

/// The streams of a block; nothing is known of its arguments.
BlockStreams streams_of(const LoadedKernel& kernel, int warps) {
  return must(block_streams(kernel, launch_of(warps * 32), nowhere));
}

TEST(BlockStreams, HaveStraightRunsAndWhatWarpsMeetAt) {
  const LoadedKernel kernel = kernel_of(
      std::string(mbarrier_at) +
      "s1 | S2R R0, SR_TID.X\ns1 | ISETP.GE.U32.AND P0, PT, R0, 0x20, PT\ns1 | SYNCS.EXCH.64 URZ, [UR4], UR12\n"
      "s1 | @P0 BRA `(others)\ns1 | SYNCS.ARRIVE.TRANS64.A1T0 RZ, [UR4], RZ\ns1 | EXIT\n"
      "others:\ns1 | BAR.ARV 0x2, 0x60\ns1 | EXIT");
  EXPECT_TRUE(meets_in_part(kernel.listing));
  const BlockStreams made = streams_of(kernel, 3);
  ASSERT_EQ(made.warps.size(), 3U);
  EXPECT_NE(made.warps[0], made.warps[1]);
  EXPECT_EQ(made.warps[1], made.warps[2]) << "equal streams are one";
  EXPECT_EQ(made.instructions(), 9 + 9 + 9);
  EXPECT_THAT(made.warps[0]->runs, ElementsAre(StreamRun{0, 8, 2}));
  EXPECT_THAT(made.warps[1]->runs, ElementsAre(StreamRun{0, 6, 1}, StreamRun{9, 10, 1}));
  const Meeting arrival{.kind = Meeting::Kind::Arrive, .index = 7, .place = 0x400, .arrivals = 32};
  EXPECT_EQ(made.warps[0]->meetings.back(), arrival);
  EXPECT_EQ(made.warps[1]->meetings.back(), (Meeting{.index = 9, .place = 2, .arrivals = 0x60}));
  const LoadedKernel alone = kernel_of("s1 | FFMA R0, R1, R2, R3\ns1 | BAR.SYNC.DEFER_BLOCKING 0x0\ns1 | EXIT");
  EXPECT_FALSE(meets_in_part(alone.listing));
}

TEST(BlockStreams, CountTheTripsOfLoops) {
  const auto of = [](std::vector<StreamRun> runs) {
    return SmStreams{{{{std::make_shared<const WarpStream>(WarpStream{.runs = std::move(runs)})}}}, {}};
  };
  const std::vector<StreamRun> twice = {{0, 5, 0}, {2, 5, 0}, {2, 7, 0}, {0, 5, 0}, {2, 7, 0}};
  EXPECT_EQ(of(twice).trips(2, 6), 3) << "three and two";
  EXPECT_EQ(of({{0, 5, 0}, {2, 7, 0}}).trips(2, 6), 2);
  EXPECT_EQ(of({{0, 1, 0}}).trips(2, 6), 0);
}

TEST(BlockStreams, TensorCopiesShareTheBytesThatTheirMbarrierExpects) {
  const LoadedKernel kernel = kernel_of(
      std::string(mbarrier_at) +
      "s1 | UMOV UR7, UR4\ns1 | UMOV UR6, 0x800\ns1 | IMAD.MOV.U32 R2, RZ, RZ, 0x4001\ns4 | ELECT P2, URZ, PT\n"
      "s5 | SYNCS.EXCH.64 URZ, [UR4], UR12\ns2 | UTMALDG.2D [UR6], [UR10]\n"
      "s2 | @P2 SYNCS.ARRIVE.TRANS64 RZ, [UR4], R2\ns2 | UTMALDG.2D [UR6], [UR10]\n"
      "s2 w0 | SYNCS.PHASECHK.TRANS64.TRYWAIT P1, [UR4], RZ\ns1 b0 | EXIT");
  std::vector<std::int64_t> bytes;
  for (const Meeting& one : streams_of(kernel, 1).warps[0]->meetings) {
    if (one.kind == Meeting::Kind::Copy) bytes.push_back(-one.bytes);
  }
  EXPECT_THAT(bytes, ElementsAre(0x2000, 0x2001)) << "one of them is issued before they are expected";
}

TEST(BlockStreams, TheBlockWithMostToDoMayBeRecorded) {
  LoadedKernel kernel = kernel_of(
      "s1 | S2R R0, SR_CTAID.X\nloop:\ns1 | VIADD R0, R0, 0x4\ns1 | ISETP.LT.AND P0, PT, R0, 0x9, PT\n"
      "s1 | @P0 BRA `(loop)\ns1 | EXIT");
  ExecutedLaunch launch = launch_of(32);
  launch.grid = {4, 1, 1};
  const auto instructions = [&](bool longest) {
    return must(block_streams(kernel, launch, nowhere, longest)).instructions();
  };
  EXPECT_EQ(instructions(false), 2 + 2 * 3);
  EXPECT_EQ(instructions(true), 2 + 3 * 3);
}

TEST(SmStreams, AreOfTheSmThatHasMostToDo) {
  // The fourth of six blocks goes through a loop; two SMs have blocks 0, 2, 4 and 1, 3, 5.
  const LoadedKernel kernel = kernel_of(
      "s1 | S2R R0, SR_CTAID.X\ns1 | ISETP.NE.AND P0, PT, R0, 0x3, PT\ns1 | @P0 EXIT\n"
      "loop:\ns1 | VIADD R0, R0, 0x1\ns1 | ISETP.LT.AND P0, PT, R0, 0x9, PT\ns1 | @P0 BRA `(loop)\ns1 | EXIT");
  ExecutedLaunch launch = launch_of(32);
  launch.grid = {6, 1, 1};
  const SmStreams made = must(sm_streams(kernel, launch, nowhere, 2));
  ASSERT_EQ(made.blocks.size(), 3U);
  EXPECT_EQ(made.of(0).instructions(), 3);
  EXPECT_EQ(made.of(1).instructions(), 3 + 6 * 3 + 1);
  EXPECT_EQ(made.of(4).instructions(), 3 + 6 * 3 + 1) << "they begin again";
  EXPECT_NEAR(made.instructions(), (3 + 22 + 3) / 3.0, 1e-9);
  EXPECT_EQ(made.trips(3, 6), 6);
  EXPECT_FALSE(made.waits.any());
}

/// Three blocks of ten instructions of a cycle. The second one waits, after two, for what the first one stores after
/// six, and the third one for the second one.
BlockWaits waits_in_turn() {
  BlockWaits made;
  for (std::uint64_t block = 0; block < 3; ++block) {
    made.ran(block, 0, 1);
    if (block > 0) made.looked(block, block - 1, 0);
    made.ran(block, 2, 5);
    made.stored(block);
    made.ran(block, 6, 9);
  }
  return made;
}

TEST(BlockWaits, AddWhatBlocksWaitForEachOther) {
  const std::vector<double> cycles(10, 1.0);
  const auto longer = [&](std::uint64_t slots, double handed) {
    return waits_in_turn().longer({.cycles = cycles, .warps = 1, .slots = slots, .handed = handed});
  };
  EXPECT_TRUE(waits_in_turn().any());
  EXPECT_EQ(waits_in_turn().instructions(1), 10U);
  EXPECT_NEAR(longer(3, 0), (6 + 4 + 4 + 4) / 10.0, 1e-9) << "the chain, and what comes after the last store";
  EXPECT_NEAR(longer(3, 5), (6 + 5 + 4 + 5 + 4 + 4) / 10.0, 1e-9);
  EXPECT_NEAR(longer(1, 0), 1, 1e-9) << "one after the other, none waits";
}

TEST(StreamCursor, GoesThroughRunsWithTheirMeetings) {
  const auto at = [](std::uint32_t index) { return Meeting{.index = index}; };
  const WarpStream stream{.runs = {{2, 3, 1}, {2, 3, 3}}, .meetings = {at(3), at(2), at(3), at(3)}, .instructions = 4};
  StreamCursor cursor(stream);
  std::vector<std::pair<std::size_t, std::size_t>> found;
  do found.emplace_back(cursor.at(), cursor.meetings().size());
  while (cursor.next());
  EXPECT_THAT(found, ElementsAre(std::pair(2, 0), std::pair(3, 1), std::pair(2, 1), std::pair(3, 2)));
}

Expected<Runs> run_streams(const LoadedKernel& kernel, const BlockStreams& streams, std::size_t events = 0) {
  static const CostTable costs(testing::committed_machine("nvidia-h100-80gb-hbm3"));
  auto program =
      must(make_program(kernel.listing, costs,
                        {.streams = std::make_shared<const SmStreams>(SmStreams{{streams}, {}}), .loops = {{0, 4}}}));
  return run_program(std::move(program), costs.machine(), {static_cast<int>(streams.warps.size()), 1}, events, 0);
}

/// Runs a block of the committed H100.
Runs run(const std::string& code, int warps, std::size_t events = 1000) {
  const LoadedKernel kernel = kernel_of(code);
  return must(run_streams(kernel, streams_of(kernel, warps), events));
}

TEST(Streams, ThoseThatAreTooLongGoOnAsTheyBegan) {
  const LoadedKernel kernel = kernel_of("loop:\ns4 y | FFMA R7, R9, R7, R10\ns5 | BRA `(loop)\ns1 | EXIT");
  const auto of_trips = [](std::size_t trips, bool cut) {
    WarpStream one{.runs = std::vector<StreamRun>(trips, {0, 1, 0}), .cut = cut};
    one.instructions = static_cast<std::int64_t>(2 * trips);
    return one;
  };
  const auto cycles = [&](WarpStream stream) {
    return must(run_streams(kernel, {{std::make_shared<const WarpStream>(std::move(stream))}}));
  };
  WarpStream begin = of_trips(100, true);
  begin.instructions = 2000;
  const Runs whole = cycles(of_trips(1000, false)), part = cycles(begin);
  EXPECT_FALSE(whole.extrapolated);
  EXPECT_TRUE(part.extrapolated);
  EXPECT_NEAR(part.begun, 0.1, 1e-9);
  EXPECT_NEAR(part.cycles.low, whole.cycles.low, 20);
  EXPECT_NEAR(part.use.issues[0], 2000, 1e-6);
  EXPECT_EQ(whole.low.trips, std::vector<double>{4 + taken_jump});
}

/// The cycles in which a warp issues an instruction.
std::vector<std::int64_t> issues(const Runs& runs, int warp, std::size_t step) {
  std::vector<std::int64_t> cycles;
  for (const IssueEvent& event : runs.low.events) {
    if (event.warp == warp && event.step == step) cycles.push_back(event.cycle);
  }
  return cycles;
}

TEST(Meetings, AWaitEndsAWhileAfterTheArrivalOfAnotherWarp) {
  const std::string code = std::string(mbarrier_at) +
                           "s4 | S2R R0, SR_TID.X\ns1 | SYNCS.EXCH.64 URZ, [UR4], UR12\n"
                           "s13 | ISETP.GE.U32.AND P0, PT, R0, 0x20, PT\ns5 | @P0 BRA `(other)\n"
                           "s2 w0 | SYNCS.PHASECHK.TRANS64.TRYWAIT P1, [UR4], RZ\ns1 b0 | EXIT\n"
                           "other:\ns15 | NOP\ns15 | ELECT P2, URZ, PT\ns15 | NOP\n"
                           "s1 | @P2 SYNCS.ARRIVE.TRANS64.A1T0 RZ, [UR4], RZ\ns1 | EXIT";
  const Runs runs = run(code, 2);
  const std::int64_t arrives = issues(runs, 1, 12).at(0), goes_on = issues(runs, 0, 8).at(0);
  EXPECT_EQ(goes_on - arrives, 39) << "half of synchronization/handoff[by=mbarrier_try]";
}

TEST(Meetings, ABarrierOfSomeWarpsLetsTheOthersPass) {
  const std::string code =
      "s4 | S2R R0, SR_TID.X\ns13 | ISETP.GE.U32.AND P0, PT, R0, 0x40, PT\ns5 | @P0 BRA `(other)\n"
      "s1 | BAR.SYNC.DEFER_BLOCKING 0x1, 0x40\ns1 | EXIT\nother:\ns1 | EXIT";
  EXPECT_EQ(issues(run(code, 3), 0, 4).size(), 1);
  EXPECT_EQ(issues(run(code, 3), 2, 3).size(), 0);
}

TEST(Meetings, WithoutAnArrivalTheWarpsWaitForEver) {
  const LoadedKernel kernel = kernel_of("s2 w0 | SYNCS.PHASECHK.TRANS64.TRYWAIT P1, [UR4], RZ\ns1 b0 | EXIT");
  const WarpStream waits{.runs = {{0, 1, 1}}, .meetings = {{.kind = Meeting::Kind::Await}}, .instructions = 2};
  const auto streams = BlockStreams{{std::make_shared<const WarpStream>(waits)}};
  EXPECT_THAT(failure_of(run_streams(kernel, streams)).text,
              StartsWith("the warps wait for each other for ever: 1 at 0x0000: what decides"));
}

TEST(Meetings, ABulkCopyArrivesWithItsBytes) {
  const auto cycles = [](int units) {
    const std::string code =
        std::string(mbarrier_at) +
        fmt::format(
            "s1 | UMOV UR7, UR4\ns1 | UMOV UR6, 0x800\ns1 | UMOV UR8, {:#x}\ns1 | IMAD.MOV.U32 R2, RZ, RZ, {:#x}\n"
            "s4 | ELECT P2, URZ, PT\ns5 | SYNCS.EXCH.64 URZ, [UR4], UR12\n"
            "s2 | @P2 SYNCS.ARRIVE.TRANS64 RZ, [UR4], R2\ns2 | UBLKCP.S.G [UR6], [UR10], UR8\n"
            "s2 w0 | SYNCS.PHASECHK.TRANS64.TRYWAIT P1, [UR4], RZ\ns1 b0 | EXIT",
            units, 16 * units);
    return run(code, 1).low.cycles;
  };
  EXPECT_NEAR(cycles(1), 309, 40) << "bulk_copy/load";
  EXPECT_NEAR(cycles(1024) - cycles(1), 16368 / 106.6, 20) << "one SM alone";
}

TEST(Meetings, WhatACopyOfLanesBringsArrivesWhenItHasCome) {
  // cp.async.mbarrier.arrive.noinc arrives for each lane; without .noinc a byte is expected that it completes.
  const auto cycles = [](const char* count, const char* copy, const char* arrive) {
    const std::string code = fmt::format(
        "s1 | UMOV UR4, 0x400\ns1 | UMOV UR12, {}\ns1 | UMOV UR13, 0x7ffff800\ns4 | S2R R0, SR_TID.X\n"
        "s13 | IMAD.SHL.U32 R2, R0, 0x10, RZ\ns5 | SYNCS.EXCH.64 URZ, [UR4], UR12\n{}{}"
        "s2 w0 | SYNCS.PHASECHK.TRANS64.TRYWAIT P1, [UR4], RZ\ns1 b0 | EXIT",
        count, copy, arrive);
    return run(code, 1).low.cycles;
  };
  constexpr const char *lanes = "0x1fffc0", *one = "0x1ffffe", *copy = "s2 | LDGSTS.E.BYPASS.128 [R2+0x800], [R4.64]\n",
                       *arrive = "s2 | ARRIVES.LDGSTSBAR.64.ARVCNT [UR4]\n",
                       *expect_and_complete =
                           "s2 | SYNCS.ARRIVE.TRANS64.RED.A0T1 RZ, [UR4], RZ\n"
                           "s2 | ARRIVES.LDGSTSBAR.64.TRANSCNT [UR4]\ns4 | ELECT P2, URZ, PT\n"
                           "s2 | @P2 SYNCS.ARRIVE.TRANS64.A1T0 RZ, [UR4], RZ\n";
  const double nothing = cycles(lanes, "", arrive), copied = cycles(lanes, copy, arrive);
  EXPECT_GT(copied, nothing + 200) << "L2 answers";
  EXPECT_NEAR(cycles(one, copy, expect_and_complete), copied, 40);
  EXPECT_LT(cycles(one, "", expect_and_complete), copied - 200);
}

TEST(Meetings, ATensorCopyMayBeIssuedBeforeItsBytesAreExpected) {
  const auto cycles = [](const char* first, const char* second) {
    const std::string code =
        std::string(mbarrier_at) +
        "s1 | UMOV UR7, UR4\ns1 | UMOV UR6, 0x800\ns1 | IMAD.MOV.U32 R2, RZ, RZ, 0x4000\ns4 | ELECT P2, URZ, PT\n"
        "s5 | SYNCS.EXCH.64 URZ, [UR4], UR12\n" +
        std::string(first) + second + "s2 w0 | SYNCS.PHASECHK.TRANS64.TRYWAIT P1, [UR4], RZ\ns1 b0 | EXIT";
    return run(code, 1).low.cycles;
  };
  constexpr const char *expect = "s2 | @P2 SYNCS.ARRIVE.TRANS64 RZ, [UR4], R2\n",
                       *copy = "s2 | UTMALDG.2D [UR6], [UR10]\n";
  const double after = cycles(expect, copy), before = cycles(copy, expect);
  EXPECT_GT(before, 400);
  EXPECT_NEAR(before, after, 20);
}

TEST(Meetings, ATensorCopyFromSharedMemoryTakesWhatTheBlockStoredThere) {
  const auto cycles = [](int stores, const char* copy) {
    std::string code = "s4 | S2R R0, SR_TID.X\ns5 | IMAD.SHL.U32 R2, R0, 0x10, RZ\n";
    for (int i = 0; i < stores; ++i) code += "s2 | STS.128 [R2+0x400], R4\n";
    return run(code + "s5 | BAR.SYNC 0x1, 0x20\n" + copy + "s1 | EXIT", 1).low.cycles;
  };
  constexpr const char* copy = "s2 | UTMASTG.2D [UR8], [UR4]\ns2 | UTMACMDFLUSH\n";
  constexpr double bytes = 32 * 16, rate = 16.36;
  const double few = cycles(32, copy) - cycles(32, ""), many = cycles(64, copy) - cycles(64, "");
  EXPECT_NEAR((many - few) / 32, bytes / rate, 0.01 * bytes / rate) << "tensor_copy/store_rate";
  const LoadedKernel nothing = kernel_of("s2 | UTMASTG.2D [UR8], [UR4]\ns1 | EXIT");
  const auto streams = block_streams(nothing, launch_of(32), nowhere);
  EXPECT_THAT(failure_of(streams).text, StartsWith("nobody says how many bytes UTMASTG copies"));
}

TEST(Meetings, WarpsMeetAtTheBarrierOfTheirCluster) {
  std::string code = "s4 | S2R R0, SR_TID.X\ns13 | ISETP.GE.U32.AND P0, PT, R0, 0x20, PT\ns5 | @P0 BRA `(meet)\n";
  for (int i = 0; i < 50; ++i) code += "s4 | FFMA R7, R9, R7, R10\n";
  code += "meet:\ns2 | UCGABAR_ARV\ns2 | UCGABAR_WAIT\ns4 | FFMA R7, R9, R7, R10\ns1 | EXIT";
  const Runs runs = run(code, 2);
  const std::size_t after = 3 + 50 + 2;
  EXPECT_GT(issues(runs, 1, after).at(0), 50 * 4) << "the second warp has nothing to do before";
  EXPECT_LE(std::abs(issues(runs, 0, after).at(0) - issues(runs, 1, after).at(0)), 10);
}

TEST(Meetings, TheWarpsOfAGroupMeetBeforeTheyMultiply) {
  std::string code = "s4 | S2R R0, SR_TID.X\ns13 | ISETP.GE.U32.AND P0, PT, R0, 0x20, PT\ns5 | @P0 BRA `(multiply)\n";
  for (int i = 0; i < 50; ++i) code += "s4 | FFMA R7, R9, R7, R10\n";
  code += "multiply:\ns2 | WARPGROUP.ARRIVE\ns4 | HGMMA.64x64x16.F32 R24, gdesc[UR4], R24, gsb0\ns1 | EXIT";
  const std::size_t multiply = 3 + 50 + 1;
  const Runs runs = run(code, 6);
  EXPECT_GT(issues(runs, 3, multiply).at(0), 50 * 4) << "the first warp comes late";
  EXPECT_LT(issues(runs, 4, multiply).at(0), 100) << "of the next group, which has two warps";
}

TEST(Multiplies, OfAWarpGroupQueueBeforeTheTensorCore) {
  std::string code;
  for (int i = 0; i < 8; ++i)
    code += fmt::format("s4 | HGMMA.64x64x16.F32 R24, gdesc[UR4], R24{}\n", i == 7 ? ", gsb0" : "");
  const Runs runs = run(code + "s2 | WARPGROUP.DEPBAR.LE gsb0, 0x0\ns1 | EXIT", 4);
  std::vector<std::int64_t> at;
  for (std::size_t i = 0; i < 8; ++i) at.push_back(issues(runs, 0, i).at(0));
  EXPECT_THAT(at, ElementsAre(0, 4, 8, 12, 16, 20, 32, 64)) << "as measured: 0, 4, 8, 12, 16, 20, 28, 60";
  EXPECT_EQ(issues(runs, 0, 9).at(0), 7 * 32 + 76);
}

}  // namespace
}  // namespace warpclock
