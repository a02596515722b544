#include <gtest/gtest.h>

#include <array>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "base/testing/matchers.hpp"
#include "execute/execution.hpp"
#include "execute/testing/hostile_run.hpp"
#include "execute/testing/listing.hpp"

namespace warpclock {
namespace {

using testing::buffer;
using testing::executed;
using ::testing::HasSubstr;
using testing::kernel_of;
using testing::launch_of;

// A minute of the fuzzer sees more; these are the same in each run.
TEST(HostileCode, EndsWithoutACrash) {
  std::mt19937 random(51);
  for (int round = 0; round < 3000; ++round) {
    std::string bytes;
    for (std::size_t i = 0; i < 5 + 4 * (random() % 48); ++i) bytes += static_cast<char>(random());
    ASSERT_EQ(testing::hostile_run(bytes), "") << "round " << round;
  }
}

/// The error of a loop without an end around these lines; R3 grows by 1 each time.
Error error_of_loop(std::vector<std::string> before, const std::vector<std::string>& body, Follow follow,
                    std::uint64_t limit) {
  before.insert(before.end(), {"MOV R3, RZ", ".L_0:"});
  before.insert(before.end(), body.begin(), body.end());
  before.insert(before.end(), {"VIADD R3, R3, 0x1", "BRA `(.L_0)", "EXIT"});
  const LoadedKernel kernel = kernel_of(before);
  return failure_of(executed(kernel, launch_of(kernel, {buffer(0, std::int64_t{1} << 36)}), follow, limit).done);
}

TEST(HostileCode, CopiesOfAWholeGpuEndAtTheLimitOfMemory) {
  const std::vector<std::string> copies = {"IMAD.WIDE.U32 R4, R3, 0x1000, R8",
                                           "LDGSTS.E.BYPASS.128 [R2], desc[UR4][R4.64]"};
  const Error error = error_of_loop({"LDC.64 R8, c[0x0][0x210]", "MOV R2, 0x400"}, copies, Follow::All, 10'000'000);
  EXPECT_THAT(error, IsError("limit", HasSubstr("more memory than its limit")));
}

TEST(HostileCode, StoresForOtherBlocksEverywhereEndAtTheLimitOfMemory) {
  const std::vector<std::string> stores = {"IMAD R6, R3, 0x20, R0", "IMAD.WIDE.U32 R4, R6, 0x4, R8",
                                           "STG.E.STRONG.GPU desc[UR4][R4.64], R3"};
  // What looks for such stores comes before them.
  const std::vector<std::string> before = {
      "LDC.64 R8, c[0x0][0x210]",        "S2R R0, SR_TID.X", ".L_9:", "LDG.E.STRONG.GPU R7, desc[UR4][R8.64]",
      "ISETP.NE.AND P0, PT, R7, RZ, PT", "@P0 BRA `(.L_9)"};
  const Error error = error_of_loop(before, stores, Follow::All, 1'500'000);
  EXPECT_THAT(error, IsError("limit", HasSubstr("4 million addresses")));
}

TEST(HostileCode, NamesNoMoreBarriersThanABlockHas) {
  EXPECT_THAT(error_of_loop({}, {"BAR.ARV R3, 0x40"}, Follow::Path, 1'000'000),
              IsError("unfollowed", HasSubstr("barrier 16")));
}

TEST(HostileCode, HasItsMbarriersInSharedMemory) {
  const std::vector<std::string> body = {"IMAD R2, R3, 0x8, RZ", "SYNCS.EXCH.64 URZ, [R2], UR4"};
  EXPECT_THAT(error_of_loop({"UMOV UR4, 0x1ffffe", "UMOV UR5, 0x1ffffe"}, body, Follow::Path, 1'000'000),
              IsError("address", HasSubstr("shared memory")));
}

/// How often a copy in a loop without an end is executed before the limit of 30,000 instructions.
std::uint64_t copies_before_the_limit(std::vector<std::string> before, const std::string& copy,
                                      const GivenArgument& argument) {
  before.insert(before.begin(),
                {"UMOV UR16, 0x400", "UMOV UR18, 0x1ffffe", "UMOV UR19, 0x7ffff800", "SYNCS.EXCH.64 URZ, [UR16], UR18",
                 "ULDC.64 UR6, c[0x0][0x210]", "UMOV UR10, 0x480", "UMOV UR11, 0x400"});
  const std::size_t at = before.size();
  before.insert(before.end(), {".L_0:", copy, "BRA `(.L_0)", "EXIT"});
  const LoadedKernel kernel = kernel_of(before);
  const auto made = executed(kernel, launch_of(kernel, {argument}), Follow::All, 30'000);
  EXPECT_THAT(failure_of(made.done), IsError("limit", HasSubstr("more warp instructions than its limit")));
  return made.counts[at].executed;
}

// Each takes as long as thousands of instructions.
TEST(HostileCode, LargeCopiesCountForAsLongAsTheyTake) {
  EXPECT_LT(copies_before_the_limit({"UMOV UR12, 0xffff"}, "UBLKCP.S.G [UR10], [UR6], UR12", buffer(0, 1 << 20)), 20U)
      << "a mebibyte";
  // A map that the driver made, with a box of 65,536 lines (mapped_tensor_test.cpp).
  constexpr auto words = std::to_array<std::uint32_t>(
      {0x34567000, 0x7f12, 0x330, 9, 0x16a, 0x2a6f, 0, 0, 0x3f, 0x27, 0x1d, 0x13, 0, 0x1f000000, 0xffff, 0});
  GivenArgument map = buffer(0, sizeof words);
  map.contents.assign(reinterpret_cast<const char*>(words.data()), sizeof words);
  const std::vector<std::string> corner = {"UMOV UR12, URZ", "UMOV UR13, URZ", "UMOV UR14, URZ", "UMOV UR15, URZ"};
  EXPECT_LT(copies_before_the_limit(corner, "UTMALDG.4D [UR10], [UR6]", map), 1000U);
}

TEST(HostileCode, IsLaunchedAsAGpuMayLaunchIt) {
  LoadedKernel kernel = kernel_of({"EXIT"});
  kernel.facts.cluster_blocks = 1 << 30;
  const auto launched = [&](const LaunchExtents& grid, std::int64_t dynamic_bytes) {
    return executed_launch(kernel.facts, "sm_90a", grid, {32, 1, 1}, dynamic_bytes, {});
  };
  EXPECT_THAT(failure_of(launched({1, 1, 1}, 0)), IsError("option", HasSubstr("a cluster 1 to 16 blocks")));
  kernel.facts.cluster_blocks = 0;
  EXPECT_THAT(failure_of(launched({1, 65536, 1}, 0)), IsError("option", HasSubstr("to 65535 along y and z")));
  EXPECT_THAT(failure_of(launched({1, 1, 1}, std::numeric_limits<std::int64_t>::max())),
              IsError("option", HasSubstr("bytes of shared memory")));
  const auto largest = must(launched({0x7fffffff, 65535, 65535}, 0));
  EXPECT_EQ(must(execution_of(kernel, largest, 64)).executed_blocks, 64);
  EXPECT_THAT(failure_of(execution_of(kernel, largest, ~std::uint64_t{0})), IsError("limit", HasSubstr("--blocks N")));
}

}  // namespace
}  // namespace warpclock
