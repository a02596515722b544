#include "execute/accesses/access_profile.hpp"

#include <gtest/gtest.h>

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

std::vector<AccessSums> accesses_of(const std::vector<std::string>& lines, std::uint32_t threads = 32,
                                    std::uint64_t l1_bytes = much_l1, std::uint32_t blocks = 1) {
  const LoadedKernel kernel = kernel_of(lines);
  const ExecutedLaunch launch = launch_of(kernel, {buffer(0, 1 << 20), buffer(1, 1 << 20)}, threads, blocks);
  const CodeProgram program = code_program(kernel, launch, Follow::Addresses);
  AccessProfile profile(kernel, flow_graph(kernel.listing, {}), launch, l1_bytes);
  std::vector<std::uint64_t> all(launch.blocks());
  for (std::uint64_t i = 0; i < all.size(); ++i) all[i] = i;
  const auto done = execute(kernel, launch, program, all, profile);
  EXPECT_TRUE(done) << done.error().message();
  return profile.accesses();
}

TEST(L1Lines, TheLineThatWasUsedLongestAgoMakesRoom) {
  L1Lines l1(2);
  EXPECT_EQ(l1.load(1, 0xf, 1).missing, 0xfU);
  EXPECT_EQ(l1.load(2, 0x1, 2).missing, 0x1U);
  EXPECT_EQ(l1.load(2, 0x3, 3).missing, 0x2U) << "it has the first sector";
  EXPECT_EQ(l1.load(1, 0x1, 4).missing, 0U);
  EXPECT_EQ(l1.load(3, 0x1, 5).missing, 0x1U);
  EXPECT_EQ(l1.load(1, 0xf, 6).missing, 0U);
  EXPECT_EQ(l1.load(2, 0x3, 7).missing, 0x3U) << "the third line has taken its place";
  EXPECT_EQ(L1Lines(0).load(1, 0xf, 8).missing, 0xfU);
}

/// Each thread loads word `scale` times its index, twice.
std::vector<std::string> loaded_twice(const std::string& scale, const std::string& modifiers) {
  const std::string load = "LDG.E" + modifiers + " R4, desc[UR4][R2.64]";
  return {"S2R R0, SR_TID.X", "LDC.64 R2, c[0x0][0x210]", "IMAD.WIDE R2, R0, " + scale + ", R2", load, load, "EXIT"};
}

TEST(AccessProfile, CountsLinesSectorsAndWhatL1HasAlready) {
  const auto near = accesses_of(loaded_twice("0x4", ""), 64);
  EXPECT_EQ(near[3].executed, 2U);
  EXPECT_EQ(near[3].sectors, 8U);
  EXPECT_EQ(near[3].lines, 2U);
  EXPECT_EQ(near[3].missed, 8);
  EXPECT_EQ(near[4].missed, 0) << "the load before has brought them";
  EXPECT_EQ(near[4].distinct, 8);
  EXPECT_EQ(near[3].argument, 0);
  const auto apart = accesses_of(loaded_twice("0x80", ""), 64);
  EXPECT_EQ(apart[3].sectors, 64U);
  EXPECT_EQ(apart[3].lines, 64U);
  EXPECT_EQ(apart[4].missed, 0);
}

TEST(AccessProfile, LoadsMissWhatHasNoRoomOrIsNotKept) {
  // Of 64 lines, L1 has room for 32: the second loads find none of theirs.
  EXPECT_EQ(accesses_of(loaded_twice("0x80", ""), 64, 32 * line)[4].missed, 64);
  EXPECT_EQ(accesses_of(loaded_twice("0x80", ""), 64, 64 * line)[4].missed, 0);
  EXPECT_EQ(accesses_of(loaded_twice("0x4", ".STRONG.GPU"))[4].missed, 4);
  EXPECT_EQ(accesses_of(loaded_twice("0x4", ""), 32, much_l1, 3)[3].missed, 12) << "blocks have L1s of their own";
}

TEST(AccessProfile, WarpsWithTheSameAddressesAskOnce) {
  const auto made = accesses_of({"LDC.64 R2, c[0x0][0x218]", "LDG.E R4, desc[UR4][R2.64]", "EXIT"}, 128);
  EXPECT_EQ(made[1].sectors, 4U);
  EXPECT_EQ(made[1].missed, 1);
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
