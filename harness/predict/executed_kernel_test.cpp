#include "predict/executed_kernel.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/lookup.hpp"
#include "base/testing/matchers.hpp"
#include "code/testing/listing.hpp"
#include "predict/block_sharing.hpp"
#include "predict/chosen_ways.hpp"
#include "predict/kernel_path.hpp"

namespace warpclock {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// A kernel with two addresses and a number of 32 bits, in a grid of 8 x 4 blocks of 64 threads.
LoadedKernel kernel_with(const std::string& code) {
  LoadedKernel kernel;
  kernel.listing = testing::make_listing(code);
  kernel.listing.target = "sm_90a";
  kernel.facts.entry = true;
  kernel.facts.parameters = {{0, 8}, {8, 8}, {16, 4}};
  return kernel;
}

KernelLaunch launch_with(const LoadedKernel& kernel, const std::vector<GivenArgument>& arguments = {}) {
  return must(kernel_launch(kernel, {.block = {64, 1, 1}, .grid = {8, 4, 1}, .arguments = arguments}));
}

ExecutedKernel executed(const std::string& code, const std::vector<GivenArgument>& arguments = {},
                        const PredictOptions& options = {}) {
  const LoadedKernel kernel = kernel_with(code);
  constexpr std::uint64_t l1_bytes = 1 << 16;
  return must(kernel_path(kernel, options, launch_with(kernel, arguments).launch, {l1_bytes})).executed;
}

/// Threads load words that are next to each other, of a place that UR8 has.
const std::string loaded = R"(
  S2R R0, SR_TID.X
  LDC.64 R2, c[0x0][0x210]
  IMAD R0, R1, 0x1, R0
  IMAD.WIDE R2, R0, 0x4, R2
  LDG.E R4, desc[UR4][R2.64]
  EXIT
)";

TEST(ExecutedKernel, WhereLanesPartAWarpGoesBothWays) {
  const auto past = [](const std::string& limit) {
    const auto made = executed(R"(
  S2R R0, SR_LANEID
  ISETP.GE.U32.AND P0, PT, R0, )" +
                               limit + R"(, PT
  @P0 BRA `(other)
  IADD3 R1, R1, 0x1, RZ
  BRA `(end)
other:
  IADD3 R1, R1, 0x2, RZ
end:
  EXIT
)");
    return value_or(made.taken, std::size_t{4}, std::vector<double>{});
  };
  EXPECT_THAT(past("0x10"), ElementsAre(0, 0)) << "half of the lanes come after the others";
  EXPECT_THAT(past("0x20"), IsEmpty()) << "no lane parts from the others";
}

TEST(ExecutedKernel, ABufferIsAsLargeAsWhatIsAccessedOfIt) {
  const std::string code = R"(
  S2R R0, SR_TID.X
  LDC.64 R2, c[0x0][0x210]
  S2R R1, SR_CTAID.X
  IMAD R0, R1, 0x40, R0
  IMAD.WIDE R2, R0, 0x4, R2
  LDG.E R4, desc[UR4][R2.64]
  EXIT
)";
  const LoadedKernel kernel = kernel_with(code);
  LaunchShape shape{.block = {64, 1, 1}, .grid = {8, 1, 1}};
  shape.arguments.push_back({.number = 0, .bytes = std::string("\0\x10\0\0\x70\0\0\0", 8)});
  shape.buffers.push_back({.argument = 5, .address = 0x7000001000, .bytes = 1 << 20, .once = true, .part = true});
  const auto launch = must(kernel_launch(kernel, shape)).launch;
  EXPECT_THAT(must(kernel_path(kernel, {}, launch, {1 << 16})).executed.extents,
              ElementsAre(std::pair<const int, std::int64_t>(5, 8 * 64 * 4)));
}

TEST(ExecutedKernel, AnArgumentThatDecidesNoJumpIsPresumedToBeAnAddress) {
  const std::string compared = R"(
  LDC.64 R2, c[0x0][0x210]
  ISETP.NE.U32.AND P0, PT, R2, RZ, PT
  @P0 BRA `(end)
  NOP
end:
  EXIT
)";
  const std::string guarded = R"(
  LDC.64 R2, c[0x0][0x218]
  LDC.64 R4, c[0x0][0x210]
  ISETP.NE.U32.AND P0, PT, R2, RZ, PT
  @P0 LDG.E R4, desc[UR4][R4.64]
  EXIT
)";
  EXPECT_THAT(launch_with(kernel_with("MOV R1, RZ\n" + loaded)).presumed, ElementsAre(0, 1));
  EXPECT_THAT(launch_with(kernel_with(compared)).presumed, ElementsAre(1));
  EXPECT_THAT(launch_with(kernel_with(guarded)).presumed, ElementsAre(0));
  const GivenArgument given{0, {.bytes = 4096, .type = CallType::U32}};
  EXPECT_THAT(launch_with(kernel_with(loaded), {given}).presumed, ElementsAre(1));
}

TEST(ExecutedKernel, ALoadWhosePredicateNeverHoldsNeedsNothing) {
  const ExecutedKernel made = executed(R"(
  LDC.64 R2, c[0x0][0x210]
  S2R R0, SR_TID.X
  ISETP.GE.U32.AND P0, PT, R0, 0x1000, PT
  @P0 LDG.E R4, desc[UR4][R2.64]
  EXIT
)");
  EXPECT_EQ(made.missing, "");
  const AccessPattern& pattern = made.patterns.at(3);
  EXPECT_TRUE(pattern.deduced);
  EXPECT_EQ(pattern.sectors, 0);
  EXPECT_EQ(pattern.new_sectors, 0);
}

TEST(ExecutedKernel, AccessesHaveThePatternThatIsExecuted) {
  for (const bool given : {true, false}) {
    std::vector<GivenArgument> arguments;
    if (given) arguments.push_back({0, {.bytes = 4096, .type = CallType::U32}});
    const ExecutedKernel made = executed("MOV R1, RZ\n" + loaded, arguments);
    EXPECT_EQ(made.missing, "");
    const AccessPattern& pattern = made.patterns.at(5);
    EXPECT_TRUE(pattern.deduced);
    EXPECT_EQ(pattern.sectors, 4);
    EXPECT_EQ(pattern.lines, 1);
    EXPECT_EQ(pattern.argument, 0);
    EXPECT_FALSE(pattern.by_block);
    EXPECT_EQ(pattern.sharers, 32) << "all blocks of the grid";
    EXPECT_EQ(made.executions.at(5), 64) << "two warps of each block";
  }
}

TEST(ExecutedKernel, BlocksOfARowShareWhatDependsOnTheOtherAxis) {
  const ExecutedKernel made = executed("S2R R1, SR_CTAID.Y\nIMAD R1, R1, 0x40, RZ\n" + loaded);
  EXPECT_TRUE(made.patterns.at(6).by_block);
  EXPECT_EQ(made.patterns.at(6).sharers, 8);
}

/// A thread copies a box of 64 x 8 halves of a matrix, whose descriptor is the first parameter, to as many blocks as
/// UR14 has bits.
ExecutedKernel with_tensor(const std::string& copy) {
  LoadedKernel kernel = kernel_with(R"(
  S2R R0, SR_TID.X
  ISETP.NE.AND P0, PT, R0, RZ, PT
  @P0 EXIT
  S2UR UR10, SR_CTAID.X
  USHF.L.U32 UR10, UR10, 0x6, URZ
  UMOV UR11, URZ
  ULDC.64 UR4, c[0x0][0x198]
  UIADD3 UR4, UP0, UR4, 0x30, URZ
  UIADD3.X UR5, URZ, UR5, URZ, UP0, !UPT
  UMOV UR8, 0x800
  UMOV UR9, 0x400
  UMOV UR12, 0x1ffffe
  UMOV UR13, 0x7ffff800
  UMOV UR14, 0x5
  SYNCS.EXCH.64 URZ, [UR9], UR12
  )" + copy + "\n  EXIT\n");
  kernel.facts.parameters = {{0x30, 128}};
  // 4096 x 64 halves; the address is put in below.
  constexpr std::array<std::uint32_t, 16> words{0, 0, 0x310, 0x200, 0, 0, 0, 0, 4095, 63, 0, 0, 0, 63U << 24U, 7, 0};
  GivenArgument map{0, {}};
  map.bytes = std::string(reinterpret_cast<const char*>(words.data()), sizeof(words));
  map.bytes[6] = 1;
  map.bytes.resize(128);
  LaunchShape shape{.block = {64, 1, 1}, .grid = {8, 4, 1}, .arguments = {map}};
  shape.buffers.push_back({.argument = 3, .address = std::uint64_t{1} << 48U, .bytes = 1 << 20, .part = true});
  return must(kernel_path(kernel, {}, must(kernel_launch(kernel, shape)).launch, {1 << 16})).executed;
}

TEST(ExecutedKernel, TensorCopiesAreWhatTheirDescriptorSays) {
  const ExecutedKernel made = with_tensor("UTMALDG.2D [UR8], [UR4]");
  EXPECT_EQ(made.missing, "");
  const AccessPattern& pattern = made.patterns.at(15);
  EXPECT_EQ(pattern.lines, 8) << "rows of 128 bytes";
  EXPECT_EQ(pattern.sectors, 32);
  EXPECT_EQ(pattern.sharers, 4) << "blocks that have one place along x";
  EXPECT_EQ(pattern.receivers, 1);
  EXPECT_EQ(pattern.argument, 3);
  EXPECT_EQ(made.executions.at(15), 32);
  EXPECT_EQ(made.extents.at(3), 7 * 8192 + 8 * 128) << "from the first line of the matrix to the eighth";
}

TEST(ExecutedKernel, ATensorCopyBringsTheSameToSeveralBlocks) {
  EXPECT_EQ(with_tensor("UTMALDG.2D.MULTICAST [UR8], [UR4], UR14").patterns.at(15).receivers, 2);
}

TEST(ExecutedKernel, OfWhatIsNotFollowedATensorCopyHasNoPattern) {
  EXPECT_FALSE(with_tensor("UTMALDG.2D [UR8], [UR6]").patterns.contains(15)) << "nobody knows the descriptor";
  EXPECT_FALSE(with_tensor("UTMALDG.3D [UR8], [UR4]").patterns.contains(15)) << "it has another number of dimensions";
  EXPECT_FALSE(with_tensor("UTMALDG.2D.IM2COL [UR8], [UR4]").patterns.contains(15));
}

TEST(ExecutedKernel, BlocksAtOnceThatAreNotExecutedBringAsManyNewAddresses) {
  const LoadedKernel kernel = kernel_with("S2R R1, SR_CTAID.Y\nIMAD R1, R1, 0x40, RZ\n" + loaded);
  const ExecutedLaunch launch = launch_with(kernel).launch;
  EXPECT_THAT(neighbors(launch, 4), ElementsAre(14, 15, 16, 17));
  EXPECT_EQ(neighbors(launch, 1000).size(), 32U);
  const auto at_once = [&](std::uint64_t blocks) {
    return must(kernel_path(kernel, {}, launch, {1 << 16}, blocks)).executed.patterns.at(6);
  };
  EXPECT_EQ(at_once(4).sharers, 2) << "two of each row";
  EXPECT_EQ(at_once(1).sharers, 1);
  EXPECT_FALSE(at_once(1).by_block);
}

TEST(ExecutedKernel, BlocksAtOnceGoOnBesideThePiecesOfABlockOrNot) {
  const auto pattern = [](const std::string& words) {
    const LoadedKernel kernel = kernel_with("S2R R1, SR_CTAID.X\nIMAD R1, R1, " + words + ", RZ\n" + loaded);
    return must(kernel_path(kernel, {}, launch_with(kernel).launch, {1 << 16}, 4)).executed.patterns.at(6);
  };
  EXPECT_EQ(pattern("0x40").run_bytes, 256) << "64 words";
  EXPECT_EQ(pattern("0x40").neighbors, 1);
  EXPECT_EQ(pattern("0x80").run_bytes, 256);
  EXPECT_EQ(pattern("0x80").neighbors, 0) << "as much lies between two blocks";
}

TEST(ExecutedKernel, WarpsOfABlockMayHaveMoreTripsThanOthers) {
  const auto path = [](const std::string& limit) {
    const LoadedKernel kernel =
        kernel_with("S2R R0, SR_TID.X\nloop:\nIADD3 R0, R0, 0x40, RZ\nISETP.LT.AND P0, PT, R0, " + limit +
                    ", PT\n@P0 BRA `(loop)\nEXIT");
    return must(kernel_path(kernel, {}, launch_with(kernel).launch, {1 << 16})).loops.at(0);
  };
  EXPECT_EQ(path("0x60").trips, 2) << "rounded up";
  EXPECT_THAT(path("0x60").of_warps, ElementsAre(1, 0.5)) << "the first 32 threads have one more";
  EXPECT_THAT(path("0x80").of_warps, IsEmpty());
}

TEST(FirstAddresses, OfMoreBlocksGrowAsBefore) {
  const auto shared = [](std::uint32_t row) {
    const LoadedKernel kernel = kernel_with("NOP");
    ChosenWays ways(kernel, {}, {});
    FirstAddresses first(ways);
    for (std::uint32_t block = 0; block < 8; ++block) {
      CodeStep step;
      step.kind = StepKind::Copy;
      first.copied({.block = {block, 0, 0}}, step, {.rows = {{0x1000 + block / row * std::uint64_t{64}, 64}}});
    }
    return first.sharing(32).at(0).sharers;
  };
  EXPECT_DOUBLE_EQ(shared(1), 1) << "each block has its own";
  EXPECT_DOUBLE_EQ(shared(8), 32) << "all have the same";
  EXPECT_DOUBLE_EQ(shared(2), 2);
}

TEST(ExecutedKernel, AnAddressThatNobodyKnowsIsLostAlone) {
  const std::string code = R"(
  S2R R0, SR_TID.X
  LDC.64 R2, c[0x0][0x210]
  LDC R6, c[0x0][0x220]
  IMAD R5, R0, R6, RZ
  IMAD.WIDE R4, R5, 0x4, R2
  LDG.E R7, desc[UR4][R4.64]
  IMAD.WIDE R8, R0, 0x8, R2
  STG.E desc[UR4][R8.64], R7
  EXIT
)";
  const ExecutedKernel made = executed(code);
  EXPECT_EQ(made.missing, "");
  EXPECT_FALSE(made.patterns.contains(5));
  EXPECT_THAT(made.lost.at(5), HasSubstr("argument 2 decides the address of 0x0050 LDG.E: give --arg 2="));
  EXPECT_EQ(made.patterns.at(7).sectors, 8);
  const ExecutedKernel given = executed(code, {{2, {.type = CallType::I32, .value = 32}}});
  EXPECT_THAT(given.lost, IsEmpty());
  EXPECT_EQ(given.patterns.at(5).lines, 32);
}

TEST(ExecutedKernel, ALoadThatLanesMayExecuteIsTakenToBeExecutedByThem) {
  const LoadedKernel kernel = kernel_with(R"(
  S2R R0, SR_TID.X
  LDC.64 R2, c[0x0][0x210]
  IMAD.WIDE R4, R0, 0x4, R2
  LDC R6, c[0x0][0x220]
  ISETP.GT.AND P0, PT, R6, R0, PT
  @P0 LDG.E R7, desc[UR4][R4.64+0x1000]
  IMAD.WIDE R8, R7, 0x4, R2
  LDG.E R9, desc[UR4][R8.64]
  EXIT
)");
  const GivenArgument address{.number = 0, .bytes = std::string("\0\x10\0\0\x70\0\0\0", 8)};
  LaunchShape shape{.block = {64, 1, 1}, .grid = {8, 1, 1}, .arguments = {address}};
  shape.buffers.push_back({.argument = 0, .address = 0x7000001000, .bytes = 1 << 20, .fill = CallArgument{}});
  const auto made = must(kernel_path(kernel, {}, must(kernel_launch(kernel, shape)).launch, {1 << 16})).executed;
  EXPECT_EQ(made.missing, "");
  EXPECT_EQ(made.patterns.at(5).sectors, 4);
  EXPECT_THAT(made.presumed, ElementsAre(5));
  EXPECT_TRUE(made.lost.contains(7)) << "what the load has loaded is not known";
}

TEST(ExecutedKernel, LoopsWhoseTripsAreSaidAreExecutedForSome) {
  // What the loop counts is not known after it.
  const std::string code = R"(
  LDC.64 R2, c[0x0][0x210]
  LDC R6, c[0x0][0x220]
  MOV R1, RZ
loop:
  IMAD.WIDE R4, R1, 0x20, R2
  LDG.E R7, desc[UR4][R4.64]
  VIADD R1, R1, 0x1
  ISETP.GE.AND P0, PT, R1, R6, PT
  @!P0 BRA `(loop)
  IMAD.WIDE R4, R1, 0x20, R2
  LDG.E R7, desc[UR4][R4.64]
  EXIT
)";
  PredictOptions options;
  options.trips[0] = 1000;
  const ExecutedKernel many = executed(code, {}, options);
  EXPECT_EQ(many.patterns.at(4).sectors, 1);
  EXPECT_TRUE(many.lost.contains(9)) << "its address needs what a loop left that was cut short";
  EXPECT_THAT(many.executions, IsEmpty());
  options.trips[0] = 3;
  const ExecutedKernel few = executed(code, {}, options);
  EXPECT_EQ(few.patterns.at(9).sectors, 1);
  EXPECT_EQ(few.executions.at(4), 3 * 2 * 32);
  const ExecutedKernel none = executed(code);
  EXPECT_THAT(none.open, ElementsAre(7));
}

TEST(ExecutedKernel, AStoreThatIsLostMakesSharedMemoryUnknown) {
  const std::string code = R"(
  MOV R0, 0x3
  STS [0x400], R0
  LDC R6, c[0x0][0x220]
  STS [R6], R0
  LDS R1, [0x400]
loop:
  VIADD R1, R1, 0xffffffff
  ISETP.NE.AND P0, PT, R1, RZ, PT
  @P0 BRA `(loop)
  EXIT
)";
  const ExecutedKernel unknown = executed(code);
  EXPECT_TRUE(unknown.lost.contains(3));
  EXPECT_THAT(unknown.open, ElementsAre(7));
  const ExecutedKernel known = executed(code, {{2, {.type = CallType::I32, .value = 0x500}}});
  EXPECT_EQ(known.loops.at(0).trips / known.loops.at(0).entries, 3);
}

TEST(ExecutedKernel, SaysWhyItWasNotExecuted) {
  EXPECT_THAT(executed("loop:\nNOP\nBRA `(loop)").missing, HasSubstr("more warp instructions than its limit"));
}

}  // namespace
}  // namespace warpclock
