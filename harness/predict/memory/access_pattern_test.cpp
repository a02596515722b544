#include "predict/memory/access_pattern.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "code/testing/listing.hpp"
#include "execute/bank_turns.hpp"

namespace warpclock {
namespace {

/// The pattern of the last access of the code, in blocks of 32 x 8 threads.
AccessPattern last_pattern(const std::string& code, std::array<int, 3> block = {32, 8, 1}) {
  Listing listing = testing::make_listing(code);
  listing.target = "sm_90a";
  KernelFacts facts;
  facts.parameter_bytes = 24;
  const auto all = access_patterns(listing, facts, {.block = block, .buffers = {{0, 1024}}, .arguments_known = true});
  EXPECT_FALSE(all.empty()) << code;
  return all.empty() ? AccessPattern{} : all.rbegin()->second;
}

const std::string indices = R"(s1 | S2R R0, SR_TID.X
s1 | S2R R1, SR_TID.Y
s1 | S2R R2, SR_CTAID.X
s1 | LDC.64 R4, c[0x0][0x210]
)";

std::vector<std::uint32_t> strided(std::uint32_t stride) {
  std::vector<std::uint32_t> lanes(32);
  for (std::uint32_t i = 0; i < 32; ++i) lanes[i] = i * stride;
  return lanes;
}

TEST(AccessPattern, CountsTheTurnsOfBanksThatRowsHave) {
  const auto load = [](std::uint32_t stride, int bytes) {
    return wavefronts_of(strided(stride), bytes, BankUse::Load);
  };
  EXPECT_EQ(load(4, 4), 1);
  EXPECT_EQ(load(128, 4), 32);
  EXPECT_EQ(load(132, 4), 1);
  EXPECT_EQ(load(0, 4), 1) << "geometry/broadcast";
  EXPECT_EQ(load(8, 8), 2) << "geometry/bank_wide[bytes=8,at=1]";
  EXPECT_EQ(load(16, 8), 4);
  EXPECT_EQ(load(128, 8), 32);
  EXPECT_EQ(load(16, 16), 4);
  EXPECT_EQ(load(32, 16), 8);
  EXPECT_EQ(load(64, 16), 16);
  EXPECT_EQ(load(128, 16), 32);
}

TEST(AccessPattern, PutsHalvesOfAWarpTogetherAsRowsDo) {
  const auto lanes = [](auto place) {
    std::vector<std::uint32_t> all(32);
    for (std::uint32_t i = 0; i < 32; ++i) all[i] = place(i);
    return all;
  };
  for (const std::uint32_t at : {2U, 4U, 8U, 16U, 32U}) {
    const auto share = lanes([&](std::uint32_t i) { return i / at; });
    auto wide = share, wider = share;
    for (auto& one : wide) one *= 8;
    for (auto& one : wider) one *= 16;
    EXPECT_EQ(wavefronts_of(wide, 8, BankUse::Load), 1) << "geometry/broadcast[pattern=share,bytes=8]";
    EXPECT_EQ(wavefronts_of(wider, 16, BankUse::Load), 2) << at;
    EXPECT_EQ(wavefronts_of(wider, 16, BankUse::Store), 4) << "geometry/store_same";
  }
  for (const auto& [at, turns] : {std::pair{1U, 1}, {2U, 1}, {4U, 2}, {8U, 2}, {16U, 2}}) {
    const auto wide = lanes([&](std::uint32_t i) { return i % at * 8; });
    EXPECT_EQ(wavefronts_of(wide, 8, BankUse::Load), turns) << "geometry/broadcast[pattern=interleave,bytes=8]" << at;
  }
  EXPECT_EQ(wavefronts_of(strided(0), 4, BankUse::Atomic), 32) << "atomics/shared_throughput[lanes=address]";
  EXPECT_EQ(wavefronts_of(strided(4), 4, BankUse::Atomic), 1);
}

TEST(AccessPattern, FollowsAddressesThroughTheArithmetic) {
  const auto row = last_pattern(indices + R"(s1 | IMAD R3, R2, 0x100, R0
s1 | IMAD.WIDE.U32 R6, R3, 0x4, R4
s1 | LDG.E R8, desc[UR4][R6.64+0x80])");
  EXPECT_TRUE(row.deduced);
  EXPECT_TRUE(row.aligned);
  EXPECT_EQ(row.sectors, 4);
  EXPECT_EQ(row.lines, 1);
  EXPECT_EQ(row.new_sectors, 0.5) << "all eight warps have the same addresses";
  EXPECT_TRUE(row.by_block);
  EXPECT_EQ(row.parameter, 0);
  const auto column = last_pattern(indices + R"(s1 | LEA R3, R0, R1, 0xa
s1 | IMAD.WIDE.U32 R6, R3, 0x4, R4
s1 | STG.E desc[UR4][R6.64], R8)");
  EXPECT_EQ(column.sectors, 32);
  EXPECT_EQ(column.lines, 32);
  EXPECT_EQ(column.new_sectors, 4) << "the eight warps fill the sectors";
  EXPECT_FALSE(column.by_block);
}

TEST(AccessPattern, FollowsSwizzlesMasksAndShifts) {
  const std::string base =
      indices + "s1 | S2UR UR4, SR_CgaCtaId\ns1 | UMOV UR5, 0x400\ns1 | ULEA UR4, UR4, UR5, 0x18\n";
  const auto load = [&](const std::string& code) { return last_pattern(base + code).wavefronts; };
  EXPECT_EQ(load("s1 | LEA R6, R0, R1, 0x5\ns1 | LEA R6, R6, UR4, 0x2\ns1 | LDS R8, [R6]"), 32);
  EXPECT_EQ(load("s1 | IMAD R6, R0, 0x21, R1\ns1 | LEA R6, R6, UR4, 0x2\ns1 | LDS R8, [R6]"), 1);
  EXPECT_EQ(load(R"(s1 | LOP3.LUT R7, R0, R1, RZ, 0x3c, !PT
s1 | IMAD R6, R0, 0x20, R7
s1 | LEA R6, R6, UR4, 0x2
s1 | LDS R8, [R6+0x40])"),
            1);
  EXPECT_EQ(load("s1 | SHF.R.U32.HI R6, RZ, 0x3, R0\ns1 | LEA R6, R6, UR4, 0x7\ns1 | LDS R8, [R6]"), 4);
  EXPECT_EQ(load("s1 | LOP3.LUT R6, R0, 0x7, RZ, 0xc0, !PT\ns1 | LDS R8, [R6.X16+UR4]"), 1);
  EXPECT_EQ(load("s1 | PRMT R6, R0, 0x2104, R1\ns1 | LDS R8, [R6+UR4]"), 32) << "lane << 8 | warp";
}

TEST(AccessPattern, FollowsLoopsAndBranchesAndSaysWhatItCannot) {
  const auto loop = last_pattern(indices + R"(s1 | IMAD.WIDE.U32 R6, R0, 0x10, R4
loop:
s1 | IADD3 R6, P0, R6, 0x1000, RZ
s1 | ISETP.NE.AND P1, PT, R8, 0x10, PT
s1 | LDG.E.128 R12, desc[UR4][R6.64]
s1 | IADD3 R8, R8, 0x1, RZ
s1 | @P1 BRA `(loop))");
  EXPECT_TRUE(loop.deduced);
  EXPECT_TRUE(loop.aligned);
  EXPECT_EQ(loop.sectors, 16);
  EXPECT_EQ(last_pattern(indices + "s1 | LDG.E R6, desc[UR4][R4.64]\ns1 | LDS R8, [R6]").wavefronts, 1)
      << "all lanes load one value";
  EXPECT_FALSE(last_pattern(indices + R"(s1 | LDC R6, c[0x0][0x218]
s1 | IMAD R6, R0, R6, RZ
s1 | LDS R8, [R6])")
                   .deduced)
      << "a stride that only the launch knows";
  const auto odd = last_pattern(indices + R"(s1 | LDC R6, c[0x0][0x218]
s1 | IMAD.IADD R6, R0, 0x1, R6
s1 | IMAD.WIDE.U32 R6, R6, 0x4, R4
s1 | LDG.E R8, desc[UR4][R6.64])");
  EXPECT_TRUE(odd.deduced);
  EXPECT_FALSE(odd.aligned);
  const auto some = last_pattern(indices + R"(s1 | ISETP.GT.U32.AND P0, PT, R0, 0x3, PT
s1 | @!P0 LDG.E R8, desc[UR4][R4.64])");
  EXPECT_EQ(some.sectors, 1);
}

/// Each lane loads a value of its own into R6.
const std::string data = indices + R"(s1 | IMAD.WIDE.U32 R10, R0, 0x4, R4
s1 | LDG.E R6, desc[UR4][R10.64]
)";

TEST(AccessPattern, PutsLanesAtRandomPlacesIfDataDecide) {
  const auto counter = last_pattern(data + R"(s1 | LOP3.LUT R7, R6, 0xff, RZ, 0xc0, !PT
s1 | ATOMS.POPC.INC.32 RZ, [R7.X4+0x400])");
  EXPECT_TRUE(counter.scattered);
  EXPECT_NEAR(counter.wavefronts, 3.5, 0.1) << "32 balls in 32 bins: the fullest has 3.5 on the average";
  EXPECT_EQ(last_pattern(data + "s1 | IMAD.SHL.U32 R7, R6, 0x80, RZ\ns1 | LDS R8, [R7]").wavefronts, 32)
      << "all places are in one bank";
  const auto gather = last_pattern(data + "s1 | IMAD.WIDE.U32 R8, R6, 0x4, R4\ns1 | LDG.E R12, desc[UR4][R8.64]");
  EXPECT_EQ(gather.sectors, 32);
  EXPECT_NEAR(gather.new_sectors, 32, 0.01);
  EXPECT_EQ(gather.parameter, 0);
  const auto row = last_pattern(data + R"(s1 | SHFL.IDX PT, R6, R6, 0x3, 0x1f
s1 | LEA R6, R6, R0, 0x5
s1 | IMAD.WIDE.U32 R8, R6, 0x4, R4
s1 | LDG.E R12, desc[UR4][R8.64])");
  EXPECT_FALSE(row.scattered) << "one lane's row is the same for all";
  EXPECT_EQ(row.sectors, 4);
}

TEST(AccessPattern, KnowsWhatABufferOfOneValueHolds) {
  const auto pattern = [](const std::string& more) {
    Listing listing = testing::make_listing(data + more + "s1 | ATOMS.ADD RZ, [R6], R8");
    listing.target = "sm_90a";
    KernelFacts facts;
    facts.parameter_bytes = 24;
    const LaunchShape shape{
        .block = {32, 8, 1}, .buffers = {{0, 1024}, {8, 1024}}, .equal = {0, 8}, .arguments_known = true};
    return access_patterns(listing, facts, shape).rbegin()->second;
  };
  EXPECT_FALSE(pattern("").scattered);
  EXPECT_EQ(pattern("").wavefronts, 32) << "all lanes add to one word";
  EXPECT_TRUE(pattern("s1 | STG.E desc[UR4][R4.64], R0\n").scattered) << "the kernel may have changed it";
  EXPECT_FALSE(pattern("s1 | LDC.64 R20, c[0x0][0x218]\ns1 | STG.E desc[UR4][R20.64], R0\n").scattered)
      << "it changes another one";
  EXPECT_TRUE(pattern("s1 | STG.E desc[UR4][R20.64], R0\n").scattered) << "it is not known what the kernel changes";
}

TEST(AccessPattern, KnowsTheScalarsOfALaunch) {
  const auto turns = [](std::uint32_t stride) {
    Listing listing = testing::make_listing(indices + R"(s1 | LDC R6, c[0x0][0x218]
s1 | IMAD R6, R0, R6, RZ
s1 | LDS R8, [R6])");
    listing.target = "sm_90a";
    KernelFacts facts;
    facts.parameter_bytes = 24;
    const LaunchShape shape{.block = {32, 8, 1}, .words = {{8, stride}}, .arguments_known = true};
    return access_patterns(listing, facts, shape).rbegin()->second.wavefronts;
  };
  EXPECT_EQ(turns(4), 1);
  EXPECT_EQ(turns(32), 8);
}

TEST(AccessPattern, SaysNothingOfAddressesThatWereSpilled) {
  EXPECT_FALSE(last_pattern(indices + "s1 | LDL R6, [R1]\ns1 | LDS R8, [R6]").deduced);
}

TEST(AccessPattern, CountsASectorOnceThatLoadsWithTheSameBaseTouch) {
  // Rows of 128 bytes, of which four lanes read 4 bytes each: half of a sector, and then the other half.
  const std::string rows = indices + R"(s1 | SHF.R.U32.HI R6, RZ, 0x2, R0
s1 | LOP3.LUT R7, R0, 0x3, RZ, 0xc0, !PT
s1 | SHF.L.U32 R7, R7, 0x2, RZ
s1 | LEA R7, R6, R7, 0x7
s1 | IADD3 R8, R4, R7, RZ
s1 | LDG.E R9, desc[UR4][R8.64]
)";
  const auto of_one_warp = [&](const std::string& more) { return last_pattern(rows + more, {32, 1, 1}); };
  EXPECT_EQ(of_one_warp("").new_sectors, 8);
  EXPECT_EQ(of_one_warp("s1 | LDG.E R10, desc[UR4][R8.64+0x10]\n").new_sectors, 0);
  EXPECT_EQ(of_one_warp("s1 | LDG.E R10, desc[UR4][R8.64+0x10]\n").sectors, 8);
  EXPECT_EQ(of_one_warp("s1 | LDG.E R10, desc[UR4][R8.64+0x20]\n").new_sectors, 8) << "the next sector";
  EXPECT_EQ(of_one_warp("s1 | LDG.E.STRONG.GPU R10, desc[UR4][R8.64+0x10]\n").new_sectors, 8) << "past L1";
  EXPECT_EQ(of_one_warp("s1 | STG.E desc[UR4][R8.64+0x10], R9\n").new_sectors, 8) << "not loaded";
  EXPECT_EQ(of_one_warp("s1 | IADD3 R8, R8, 0x1000, RZ\ns1 | LDG.E R10, desc[UR4][R8.64]\n").new_sectors, 8)
      << "another base";
}

TEST(AccessPattern, WhatAPredicateGuardsIsKnownUnderIt) {
  const AccessPattern pattern = last_pattern(indices + R"(s1 | ISETP.GE.AND P0, PT, R2, 0x7, PT
s1 | @!P0 IMAD.WIDE R6, R0, 0x8, R4
s1 | @!P0 LDG.E R8, desc[UR4][R6.64]
s5 | EXIT)");
  EXPECT_TRUE(pattern.deduced);
  EXPECT_EQ(pattern.sectors, 8);
  EXPECT_EQ(pattern.used, 128);
}

TEST(AccessPattern, ACallChangesOnlyWhatTheFunctionWrites) {
  const AccessPattern pattern = last_pattern(indices + R"(s1 | IMAD.WIDE R6, R0, 0x4, R4
s1 | CALL.REL.NOINC `(function)
s1 | LDG.E R8, desc[UR4][R6.64]
s5 | EXIT
function:
s1 | MOV R20, RZ
s5 | RET.REL.NODEC R22 `(0x0))");
  EXPECT_TRUE(pattern.deduced);
  EXPECT_EQ(pattern.sectors, 4);
}

TEST(AccessPattern, BitsOfAnUnknownNumberStayWhereOthersAreMasked) {
  // (k << 7 | tid << 3 & 0x78) << 2, where k is not known.
  const AccessPattern pattern = last_pattern(indices + R"(s1 | LDC R9, c[0x0][0x220]
s1 | SHF.L.U32 R9, R9, 0x7, RZ
s1 | SHF.L.U32 R10, R0, 0x3, RZ
s1 | LOP3.LUT R11, R9, 0x78, R10, 0xf8, !PT
s1 | IMAD.SHL.U32 R11, R11, 0x4, RZ
s1 | LDS.128 R12, [R11]
s5 | EXIT)");
  EXPECT_TRUE(pattern.deduced);
}

TEST(AccessPattern, AWayThatIsNeverGoneSaysNothing) {
  Listing listing = testing::make_listing(indices + R"(s1 | @P0 BRA `(on)
s1 | LDG.E R0, desc[UR4][R4.64]
on:
s1 | IMAD.WIDE R6, R0, 0x4, R4
s1 | LDG.E R8, desc[UR4][R6.64]
s5 | EXIT)");
  listing.target = "sm_90a";
  KernelFacts facts;
  facts.parameter_bytes = 24;
  const LaunchShape shape{.block = {32, 8, 1}, .buffers = {{0, 1024}}, .arguments_known = true};
  EXPECT_FALSE(access_patterns(listing, facts, shape).rbegin()->second.deduced);
  EXPECT_TRUE(access_patterns(listing, facts, shape, {{4, true}}).rbegin()->second.deduced);
}

}  // namespace
}  // namespace warpclock
