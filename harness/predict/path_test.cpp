#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "base/testing/matchers.hpp"
#include "code/testing/listing.hpp"
#include "predict/kernel_path.hpp"

namespace warpclock {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

/// The path of a kernel with four arguments of 32 bits, in a grid of 4 blocks of 64 threads.
KernelPath path_of(const std::string& code, const std::map<int, int>& arguments = {},
                   const PredictOptions& options = {}) {
  LoadedKernel kernel;
  kernel.listing = testing::make_listing(code);
  kernel.listing.target = "sm_90a";
  kernel.facts.entry = true;
  for (int i = 0; i < 4; ++i) kernel.facts.parameters.push_back({4 * i, 4});
  LaunchShape shape{.block = {64, 1, 1}, .grid = {4, 1, 1}};
  for (const auto& [number, value] : arguments)
    shape.arguments.push_back({number, {.type = CallType::U32, .value = static_cast<double>(value)}});
  return must(kernel_path(kernel, options, must(kernel_launch(kernel, shape)).launch));
}

/// for (k = 0; k < n; k += 16), guarded by n > 0.
const std::string counted = R"(
  LDC R0, c[0x0][0x210]
  ISETP.GE.AND P0, PT, R0, 0x1, PT
  @!P0 BRA `(end)
  MOV R1, RZ
loop:
  VIADD R1, R1, 0x10
  ISETP.GE.AND P0, PT, R1, R0, PT
  @!P0 BRA `(loop)
end:
  EXIT
)";

TEST(KernelPath, ArgumentsDecideTripsAndGuards) {
  EXPECT_EQ(path_of(counted, {{0, 4096}}).loops[0].trips, 256);
  EXPECT_EQ(path_of(counted, {{0, 4096}}).loops[0].trips_from, "the values of the launch");
  EXPECT_EQ(path_of(counted, {{0, 17}}).loops[0].trips, 2);
  const KernelPath none = path_of(counted, {{0, 0}});
  EXPECT_EQ(none.loops[0].trips, 0);
  EXPECT_THAT(none.taken.at(2), Each(1));
}

TEST(KernelPath, WithoutArgumentsTripsAreNotKnownAndTheGuardIsOpen) {
  const KernelPath path = path_of(counted);
  EXPECT_FALSE(path.loops[0].trips);
  EXPECT_THAT(path.open, ElementsAre(2));
}

TEST(KernelPath, WhatSharedMemoryHoldsDecidesTrips) {
  // The first warp leaves the trips there for the second one.
  const KernelPath path = path_of(R"(
  S2R R0, SR_TID.X
  LDC R1, c[0x0][0x214]
  ISETP.GE.U32.AND P0, PT, R0, 0x20, PT
  @!P0 STS [0x400], R1
  BAR.SYNC.DEFER_BLOCKING 0x0
  LDS R2, [0x400]
  @!P0 EXIT
loop:
  VIADD R2, R2, 0xffffffff
  ISETP.NE.AND P1, PT, R2, RZ, PT
  @P1 BRA `(loop)
  EXIT
)",
                                  {{1, 5}});
  EXPECT_EQ(path.loops[0].trips, 5);
  EXPECT_THAT(path.taken.at(6), ElementsAre(1, 0));
  EXPECT_THAT(path.open, IsEmpty());
}

TEST(KernelPath, FindsConstantTripsOfAnyForm) {
  const KernelPath path = path_of(R"(
  UMOV UR4, 0x1000
  UMOV UR5, URZ
loop:
  UIADD3 UR5, UR5, 0x10, URZ
  UISETP.LT.U32.AND UP0, UPT, UR5, UR4, UPT
  PLOP3.LUT P0, PT, PT, PT, UP0, 0x80, 0x0
  @P0 BRA `(loop)
  EXIT
)");
  EXPECT_EQ(path.loops[0].trips, 256);
}

/// for (i = blockIdx.x * 64 + threadIdx.x; i < n; i += 256), in 64 bits.
TEST(KernelPath, FollowsCarriesAndTheIndicesOfTheGrid) {
  const std::string code = R"(
  S2R R0, SR_CTAID.X
  S2R R1, SR_TID.X
  IMAD R2, R0, 0x40, R1
  MOV R3, RZ
loop:
  IADD3 R2, P0, R2, 0x100, RZ
  IADD3.X R3, RZ, R3, RZ, P0, !PT
  ISETP.GE.U32.AND P1, PT, R2, c[0x0][0x210], PT
  ISETP.GE.AND.EX P1, PT, R3, c[0x0][0x214], PT, P1
  @!P1 BRA `(loop)
  EXIT
)";
  EXPECT_EQ(path_of(code, {{0, 1024}, {1, 0}}).loops[0].trips, 4);
}

/// The trips of what an unrolled loop leaves: n % 4, with the test for none.
TEST(KernelPath, FollowsARemainderAndItsPredicate) {
  const std::string code = R"(
  LDC R3, c[0x0][0x210]
  LOP3.LUT P1, R12, R3, 0x3, RZ, 0xc0, !PT
  @!P1 BRA `(end)
loop:
  VIADD R12, R12, 0xffffffff
  ISETP.NE.AND P0, PT, R12, RZ, PT
  @P0 BRA `(loop)
end:
  EXIT
)";
  EXPECT_EQ(path_of(code, {{0, 7}}).loops[0].trips, 3);
  EXPECT_EQ(path_of(code, {{0, 8}}).loops[0].trips, 0);
}

TEST(KernelPath, WarpsThatEndEarlyAreAPart) {
  const KernelPath path = path_of(R"(
  S2R R0, SR_TID.X
  ISETP.GE.AND P0, PT, R0, 0x20, PT
  @P0 EXIT
  EXIT
)");
  EXPECT_THAT(path.taken.at(2), ElementsAre(0, 1));
}

TEST(KernelPath, ALoopMayBeLeftByExitAlone) {
  // The last statement of the kernel is the loop.
  const KernelPath path = path_of(R"(
  LDC R0, c[0x0][0x210]
  MOV R1, RZ
loop:
  VIADD R1, R1, 0x10
  ISETP.GE.AND P0, PT, R1, R0, PT
  @P0 EXIT
  BRA `(loop)
trap:
  BRA `(trap)
)",
                                  {{0, 64}});
  EXPECT_TRUE(path.loops[0].decided);
  EXPECT_EQ(path.loops[0].jump, 4U);
  EXPECT_EQ(path.loops[0].trips, 4);
  EXPECT_THAT(path.taken, IsEmpty()) << "trips decide it, and no part of the warps";
}

TEST(KernelPath, CountsDecideJumps) {
  PredictOptions options;
  const auto& code = counted;
  for (int i = 0; i < 8; ++i) options.executed.by_address[16 * i] = i < 3 || i == 7 ? 100 : i == 3 ? 25 : 50;
  const KernelPath path = path_of(code, {}, options);
  EXPECT_EQ(path.loops[0].trips, 2);
  EXPECT_THAT(path.taken.at(2), ElementsAre(0.75));
  EXPECT_THAT(path.open, IsEmpty());
}

TEST(KernelPath, TheDivisionOfIntegersIsExact) {
  // ptxas divides by a number that is not known by its reciprocal; here 1000 / 7 = 142 trips.
  const KernelPath path = path_of(R"(
  LDC R2, c[0x0][0x210]
  LDC R3, c[0x0][0x214]
  I2F.U32.RP R0, R3
  MUFU.RCP R0, R0
  VIADD R4, R0, 0xffffffe
  F2I.FTZ.U32.TRUNC.NTZ R5, R4
  MOV R4, RZ
  IMAD R6, R5, R3, RZ
  IADD3 R6, -R6, RZ, RZ
  IMAD.HI.U32 R7, R5, R6, R4
  IMAD.HI.U32 R7, R7, R2, RZ
  IADD3 R8, -R7, RZ, RZ
  IMAD R8, R3, R8, R2
  ISETP.GE.U32.AND P0, PT, R8, R3, PT
  @P0 IADD3 R8, R8, -R3, RZ
  @P0 VIADD R7, R7, 0x1
  MOV R1, RZ
loop:
  VIADD R1, R1, 0x1
  ISETP.NE.AND P0, PT, R1, R7, PT
  @P0 BRA `(loop)
  EXIT
)",
                                  {{0, 1000}, {1, 7}});
  EXPECT_EQ(path.loops[0].trips, 142);
}

}  // namespace
}  // namespace warpclock
