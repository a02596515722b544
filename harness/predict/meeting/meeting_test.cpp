#include <fmt/format.h>
#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/testing/matchers.hpp"
#include "code/testing/listing.hpp"
#include "execute/mbarriers.hpp"
#include "model/testing/measured.hpp"
#include "predict/meeting/followed_code.hpp"
#include "predict/simulation/run.hpp"

namespace warpclock {
namespace {

TEST(Mbarriers, APhaseEndsWithTheLastArrivalOrByte) {
  Mbarriers all;
  all.initialize(0x400, 0x1ffffc, 0x7ffff000);
  EXPECT_EQ(all.ended(0x400, true), 0) << "the phase before the first one";
  EXPECT_EQ(all.ended(0x400, false), std::nullopt);
  EXPECT_FALSE(all.arrive(0x400, 1, 10));
  EXPECT_FALSE(all.expect(0x400, 64, 20));
  EXPECT_EQ(all.expected(0x400), 64);
  EXPECT_FALSE(all.arrive(0x400, 1, 20));
  EXPECT_FALSE(all.complete(0x400, 32, 900));
  EXPECT_TRUE(all.complete(0x400, 32, 700));
  EXPECT_EQ(all.ended(0x400, false), 900);
  EXPECT_EQ(all.ended(0x400, true), std::nullopt);
  EXPECT_TRUE(all.arrive(0x400, 2, 950)) << "the next phase has all arrivals again";
  EXPECT_EQ(all.ended(0x400, true), 950);
  EXPECT_FALSE(all.arrive(0x408, 1, 0)) << "never initialized";
  EXPECT_FALSE(all.knows(0x408));
}

TEST(Mbarriers, ThePhaseThatIsFirstHasTheParityOfTheHighestBit) {
  Mbarriers all;
  all.initialize(0x400, 0x1ffff4, 0xffffd000);
  EXPECT_EQ(all.ended(0x400, false), 0) << "who fills the buffer does not wait for the first time";
  EXPECT_EQ(all.ended(0x400, true), std::nullopt);
  EXPECT_FALSE(all.arrive(0x400, 5, 10));
  EXPECT_TRUE(all.arrive(0x400, 1, 20));
  EXPECT_EQ(all.ended(0x400, true), 20);
  EXPECT_EQ(all.ended(0x400, false), std::nullopt);
}

MbarrierUse use_of(const std::string& text) { return mbarrier_use(parse_instruction(text).value()).value(); }

// The forms that ptxas 13.0 makes of mbarrier.arrive, of it with a count, of arrive.expect_tx, expect_tx, complete_tx.
TEST(MbarrierUse, IsWhatThePtxSays) {
  using Number = MbarrierUse::Number;
  EXPECT_EQ(use_of("SYNCS.ARRIVE.TRANS64.A1T0 RZ, [UR6], RZ").number_is, Number::None);
  EXPECT_TRUE(use_of("SYNCS.ARRIVE.TRANS64.A1T0 RZ, [UR6], RZ").arrives);
  EXPECT_EQ(use_of("SYNCS.ARRIVE.TRANS64.ART0 RZ, [UR6], R3").number_is, Number::Arrivals);
  EXPECT_FALSE(use_of("SYNCS.ARRIVE.TRANS64.ART0 RZ, [UR6], R3").arrives);
  EXPECT_EQ(use_of("SYNCS.ARRIVE.TRANS64 RZ, [R5+URZ], R6").number_is, Number::Bytes);
  EXPECT_TRUE(use_of("SYNCS.ARRIVE.TRANS64 RZ, [R5+URZ], R6").arrives);
  EXPECT_FALSE(use_of("SYNCS.ARRIVE.TRANS64.RED.A0TR RZ, [UR6], R3").arrives);
  EXPECT_EQ(use_of("SYNCS.ARRIVE.TRANS64.RED.A0TX RZ, [UR6], R4").number_is, Number::Copied);
  EXPECT_EQ(use_of("SYNCS.EXCH.64 URZ, [UR6+0x8], UR8").kind, MbarrierUse::Kind::Initialize);
  EXPECT_TRUE(use_of("SYNCS.PHASECHK.TRANS64.TRYWAIT P0, [UR6], R3").sleeps);
  EXPECT_FALSE(use_of("SYNCS.PHASECHK.TRANS64 P0, [UR6], R3").sleeps);
  EXPECT_EQ(use_of("UBLKCP.S.G [UR6], [UR4], UR8").kind, MbarrierUse::Kind::Copy);
  EXPECT_EQ(use_of("UTMALDG.2D [UR8], [UR6]").kind, MbarrierUse::Kind::Copy);
  EXPECT_TRUE(use_of("SYNCS.ARRIVE.TRANS64.ART0 RZ, [UR6], R3").numbered);
  EXPECT_FALSE(use_of("SYNCS.ARRIVE.TRANS64.A1T0 RZ, [UR6], RZ").numbered);
  EXPECT_FALSE(mbarrier_use(parse_instruction("UBLKCP.G.S [UR6], [UR4], UR8").value()));
}

ExecutedLaunch launch_of(int threads) { return {.block = {static_cast<std::uint32_t>(threads), 1, 1}}; }

LoadedKernel kernel_of(const std::string& code) {
  LoadedKernel made;
  made.listing = testing::make_listing(code);
  made.listing.target = "sm_90a";
  return made;
}

constexpr const char* mbarrier_at = "s1 | UMOV UR4, 0x400\ns1 | UMOV UR12, 0x1ffffe\ns1 | UMOV UR13, 0x7ffff800\n";

TEST(FollowedCode, LeavesOutWhatDecidesNothing) {
  const LoadedKernel kernel =
      kernel_of(std::string(mbarrier_at) + "s1 | SYNCS.EXCH.64 URZ, [UR4], UR12\ns1 | FFMA R0, R1, R2, R3\ns1 | EXIT");
  const FollowedCode code(kernel, 0, kernel.listing.instructions.size(), launch_of(32));
  EXPECT_TRUE(code.meets());
  EXPECT_TRUE(code.step(0));
  EXPECT_FALSE(code.step(4));
  const LoadedKernel alone = kernel_of("s1 | FFMA R0, R1, R2, R3\ns1 | BAR.SYNC.DEFER_BLOCKING 0x0\ns1 | EXIT");
  EXPECT_FALSE(FollowedCode(alone, 0, 3, launch_of(32)).meets());
}

TEST(WarpValues, LanesThatJumpComeBackWhereTheyJumpTo) {
  const LoadedKernel kernel = kernel_of(
      "s1 | S2R R0, SR_TID.X\ns1 | ISETP.NE.AND P0, PT, R0, RZ, PT\ns1 | @P0 BRA `(join)\n"
      "s1 | SYNCS.ARRIVE.TRANS64.A1T0 RZ, [UR4], RZ\njoin:\ns1 | EXIT");
  const FollowedCode code(kernel, 0, kernel.listing.instructions.size(), launch_of(64));
  WarpValues first(code, 0), second(code, 1);
  for (WarpValues* warp : {&first, &second}) {
    warp->execute(0);
    warp->execute(1);
  }
  EXPECT_EQ(first.lanes_of(2), 0xfffffffe);
  EXPECT_EQ(second.lanes_of(2), 0xffffffff);
  EXPECT_EQ(second.jump(0xffffffff, 2, 4), 4);
  EXPECT_EQ(first.jump(0xfffffffe, 2, 4), 3);
  EXPECT_EQ(first.active(), 1);
  first.arrive(4);
  EXPECT_EQ(first.active(), 0xffffffff);
}

TEST(WarpValues, BraDivJumpsOnlyIfLanesAreElsewhere) {
  const LoadedKernel kernel = kernel_of(
      "s1 | SYNCS.ARRIVE.TRANS64.A1T0 RZ, [UR6], RZ\ns1 | UMOV UR4, 0xffff\ns1 | BRA.DIV UR4, `(parted)\n"
      "s1 | EXIT\nparted:\ns1 | EXIT");
  const FollowedCode code(kernel, 0, kernel.listing.instructions.size(), launch_of(32));
  WarpValues warp(code, 0);
  warp.execute(1);
  EXPECT_EQ(warp.lanes_of(2), 0);
  EXPECT_EQ(warp.jump(0xff000000, 1, 4), 2);
  EXPECT_EQ(warp.lanes_of(2), 0) << "the mask does not ask for them";
  EXPECT_EQ(warp.jump(0x00000001, 1, 4), 2);
  EXPECT_EQ(warp.lanes_of(2), 0x00fffffe);
}

TEST(WarpValues, LanesThatAreOnVote) {
  const LoadedKernel kernel = kernel_of(
      "s1 | S2R R0, SR_TID.X\ns1 | ISETP.NE.AND P0, PT, R0, RZ, PT\ns1 | VOTEU.ALL UP0, P0\ns1 | VOTE.ANY P1, !P0\n"
      "s1 | @UP0 EXIT\ns1 | @P1 EXIT\ns1 | SYNCS.ARRIVE.TRANS64.A1T0 RZ, [UR4], RZ\ns1 | EXIT");
  const FollowedCode code(kernel, 0, kernel.listing.instructions.size(), launch_of(64));
  const auto votes = [&](WarpValues& warp) {
    for (std::size_t i = 0; i < 4; ++i) warp.execute(i);
    return std::pair(warp.lanes_of(4), warp.lanes_of(5));
  };
  constexpr LaneMask all = 0xffffffff, first_lane = 1;
  WarpValues first(code, 0), second(code, 1);
  EXPECT_EQ(votes(first), std::pair(std::optional(LaneMask{0}), std::optional(all)));
  EXPECT_EQ(votes(second), std::pair(std::optional(all), std::optional(LaneMask{0})));
  first.leave(first_lane, 4);
  EXPECT_EQ(votes(first), std::pair(std::optional(~first_lane), std::optional(LaneMask{0})));
}

TEST(WarpValues, OfTwoWaysTheEarlierOneComesFirst) {
  const LoadedKernel kernel = kernel_of("s1 | SYNCS.ARRIVE.TRANS64.A1T0 RZ, [UR4], RZ\ns1 | EXIT");
  const FollowedCode code(kernel, 0, 2, launch_of(32));
  WarpValues warp(code, 0);
  EXPECT_EQ(warp.jump(0xff, 10, 20), 11) << "others do not jump to the second way";
  EXPECT_EQ(warp.jump(0xffffff00, 15, 30), 20) << "they jump over it to the end, and wait there";
  EXPECT_EQ(warp.active(), 0xff);
  warp.arrive(30);
  EXPECT_EQ(warp.active(), 0xffffffff);
  EXPECT_EQ(warp.jump(0xffff, 40, 35), 35) << "back: the others wait behind the loop";
  EXPECT_EQ(warp.leave(0xffff, 50), 41);
  EXPECT_EQ(warp.leave(0xffff0000, 60), std::nullopt);
}

/// Runs a block of the committed H100.
Runs run(const std::string& code, int warps, std::size_t events = 1000) {
  static const CostTable costs(testing::committed_machine("nvidia-h100-80gb-hbm3"));
  const LoadedKernel kernel = kernel_of(code);
  const auto followed =
      std::make_shared<const FollowedCode>(kernel, 0, kernel.listing.instructions.size(), launch_of(warps * 32));
  auto program = must(make_program(kernel.listing, costs, {.code = followed}));
  return must(run_program(std::move(program), costs.machine(), {warps, 1}, events, 0));
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
  EXPECT_THAT(runs.low.not_followed, IsEmpty());
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
  const std::string code = std::string(mbarrier_at) +
                           "s1 | SYNCS.EXCH.64 URZ, [UR4], UR12\n"
                           "s2 w0 | SYNCS.PHASECHK.TRANS64.TRYWAIT P1, [UR4], RZ\ns1 b0 | EXIT";
  static const CostTable costs(testing::committed_machine("nvidia-h100-80gb-hbm3"));
  const LoadedKernel kernel = kernel_of(code);
  const auto followed =
      std::make_shared<const FollowedCode>(kernel, 0, kernel.listing.instructions.size(), launch_of(32));
  auto program = make_program(kernel.listing, costs, {.code = followed});
  ASSERT_TRUE(program);
  EXPECT_THAT(failure_of(run_program(std::move(program).value(), costs.machine(), {1, 1}, 0, 0)).text,
              StartsWith("the warps wait for each other for ever: 1 at 0x0040: what decides"));
}

TEST(Meetings, ABulkCopyArrivesWithItsBytes) {
  const auto cycles = [](int units) {
    const std::string code = std::string(mbarrier_at) +
                             fmt::format(
                                 "s1 | UMOV UR7, UR4\ns1 | UMOV UR8, {:#x}\ns1 | IMAD.MOV.U32 R2, RZ, RZ, {:#x}\n"
                                 "s4 | ELECT P2, URZ, PT\ns5 | SYNCS.EXCH.64 URZ, [UR4], UR12\n"
                                 "s2 | @P2 SYNCS.ARRIVE.TRANS64 RZ, [UR4], R2\ns2 | UBLKCP.S.G [UR6], [UR10], UR8\n"
                                 "s2 w0 | SYNCS.PHASECHK.TRANS64.TRYWAIT P1, [UR4], RZ\ns1 b0 | EXIT",
                                 units, 16 * units);
    return run(code, 1).low.cycles;
  };
  EXPECT_NEAR(cycles(1), 309, 40) << "bulk_copy/load";
  EXPECT_NEAR(cycles(1024) - cycles(1), 16368 / 106.6, 20) << "one SM alone";
}

TEST(Meetings, ATensorCopyMayBeIssuedBeforeItsBytesAreExpected) {
  const auto cycles = [](const char* first, const char* second) {
    const std::string code = std::string(mbarrier_at) +
                             "s1 | UMOV UR7, UR4\ns1 | IMAD.MOV.U32 R2, RZ, RZ, 0x4000\ns4 | ELECT P2, URZ, PT\n"
                             "s5 | SYNCS.EXCH.64 URZ, [UR4], UR12\n" +
                             std::string(first) + second +
                             "s2 w0 | SYNCS.PHASECHK.TRANS64.TRYWAIT P1, [UR4], RZ\ns1 b0 | EXIT";
    return run(code, 1).low.cycles;
  };
  constexpr const char *expect = "s2 | @P2 SYNCS.ARRIVE.TRANS64 RZ, [UR4], R2\n",
                       *copy = "s2 | UTMALDG.2D [UR6], [UR10]\n";
  const double after = cycles(expect, copy), before = cycles(copy, expect);
  EXPECT_GT(before, 400);
  EXPECT_NEAR(before, after, 20);
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
