#include <bit>

#include "base/testing/matchers.hpp"
#include "code/testing/listing.hpp"
#include "verify/claims.hpp"
#include "verify/verdict.hpp"

namespace warpclock {
namespace {

using testing::instruction;
using testing::make_listing;

TEST(BankReads, CountEvenAndOddSources) {
  EXPECT_THAT(bank_reads(instruction("FFMA R79, R4, R8, R12")), ElementsAre(3, 0));
  EXPECT_THAT(bank_reads(instruction("FFMA R4, R5.reuse, R8, R13.reuse")), ElementsAre(1, 2));
  EXPECT_THAT(bank_reads(instruction("FFMA R5, R5, R5, R5")), ElementsAre(0, 3)) << "the same one three times";
}

TEST(BankReads, LeaveOutWhatIsNoSourceRegister) {
  EXPECT_THAT(bank_reads(instruction("@!P0 FFMA R4, R5, 1.5, RZ")), ElementsAre(0, 1));
  EXPECT_THAT(bank_reads(instruction("FFMA R4, R6, c[0x0][0x160], R6")), ElementsAre(2, 0));
  EXPECT_THAT(bank_reads(instruction("LOP3.LUT R4, R7, UR6, RZ, 0x3c, !P2")), ElementsAre(0, 1));
  EXPECT_THAT(bank_reads(instruction("SHFL.BFLY PT, R4, R6, R3, 0x1f")), ElementsAre(1, 1));
  EXPECT_THAT(bank_reads(instruction("ISETP.GE.AND P0, PT, R2, R4, P1")), ElementsAre(2, 0));
  EXPECT_THAT(bank_reads(instruction("MOV R4, 0x3")), ElementsAre(0, 0));
}

TEST(BankReads, CountEachRegisterOfAWideOperand) {
  EXPECT_THAT(bank_reads(instruction("DFMA R4, R6, R8, R10")), ElementsAre(3, 3));
  EXPECT_THAT(bank_reads(instruction("DFMA R4, R6.reuse, 1.25, R10")), ElementsAre(2, 2));
  EXPECT_THAT(bank_reads(instruction("IMAD.WIDE.U32 R4, R6, R9, R10")), ElementsAre(2, 2));
  EXPECT_THAT(bank_reads(instruction("HMMA.16816.F32 R12, R4, R2, R12")), ElementsAre(5, 5));
  EXPECT_THAT(bank_reads(instruction("LDG.E R4, desc[UR4][R2.64+0x80]")), ElementsAre(1, 1));
  EXPECT_THAT(bank_reads(instruction("STS [R2], R4")), ElementsAre(2, 0));
}

TEST(ReuseFlags, AreThoseOfTheEncoding) {
  EXPECT_EQ(reuse_flags(instruction("FFMA R4, R5.reuse, R8, R13.reuse")), 2);
  int flags = 0;
  for (const char* arch : {"sm_80", "sm_90a", "sm_100a", "sm_120a"}) {
    const auto listings =
        parse_listings(testing::read(fmt::format("harness/code/testdata/listings/hmma.{}.sass", arch)));
    ASSERT_TRUE(listings) << arch;
    for (const Listing& listing : *listings) {
      for (const Instruction& one : listing.instructions) {
        EXPECT_EQ(reuse_flags(one), std::popcount(one.high >> 58 & 0xf)) << arch << ": " << one.text;
        flags += reuse_flags(one);
      }
    }
  }
  EXPECT_GT(flags, 20);
}

/// The sources in one bank: three, three (one register read three times), two with one of them kept, none.
const std::string four = R"(
  s5 | CS2R R6, SR_CLOCKLO
  s4 | FFMA R20, R4, R8, R12
  s4 | FFMA R21, R4, R4, R4
  s4 | FFMA R22, R4, R9, R12.reuse
  s2 | POPC R5, R5
  s4 | FFMA R23, 1, 2, RZ
  s6 | CS2R R6, SR_CLOCKLO
  EXIT
)";

Verdict judge(const Operands& operands, const std::string& text = four, std::int64_t count = 4) {
  Expectation expect;
  expect.target = {"FFMA"};
  expect.count = {{count}};
  expect.also = {"POPC"};
  expect.close = Close::Issue;
  expect.operands = operands;
  return verify(make_listing(text), expect, {}, 1);
}

Operands banks(std::map<int, Range> claims) { return {.in_one_bank = std::move(claims), .reuse = {}}; }
Operands reuse(Range limits) { return {.in_one_bank = {}, .reuse = limits}; }

TEST(VerifyOperands, TheShareOfTheTargetsIsWithinBounds) {
  EXPECT_EQ(judge(banks({{0, {25, 25}}, {1, {0, 0}}, {2, {25, 25}}, {3, {50, 50}}})).text, "");
  EXPECT_EQ(judge(banks({{3, {51, 100}}})).code, "operands");
  EXPECT_EQ(judge(banks({{3, {0, 49}}})).code, "operands");
  EXPECT_EQ(judge(banks({{1, {1, 100}}})).code, "operands");
  EXPECT_EQ(judge(reuse({25, 25})).code, "verified");
  EXPECT_EQ(judge(reuse({26, 400})).code, "operands");
  EXPECT_EQ(judge(reuse({0, 24})).code, "operands");
}

TEST(VerifyOperands, NamesWhatIsThereWhatIsAskedAndTheFirstOffender) {
  EXPECT_EQ(judge(banks({{3, {100, 100}}})).text,
            "2 of 4 targets (50 %) have 3 source registers in the fuller bank instead of 100 %; the first that has not "
            "is 'FFMA R22, R4, R9, R12.reuse' at 0x0030, with 2");
  EXPECT_EQ(judge(banks({{1, {95, 100}}})).text,
            "0 of 4 targets (0 %) have 1 source register in the fuller bank instead of 95 to 100 %; the first that has "
            "not is 'FFMA R20, R4, R8, R12' at 0x0010, with 3");
  EXPECT_EQ(judge(banks({{2, {0, 0}}})).text,
            "1 of 4 targets (25 %) have 2 source registers in the fuller bank instead of 0 %; the first is 'FFMA R22, "
            "R4, R9, R12.reuse' at 0x0030");
  EXPECT_EQ(judge(reuse({0, 0})).text,
            ".reuse occurs once at 4 targets, 25 for 100 instead of 0; the first with 1 is 'FFMA R22, R4, R9, "
            "R12.reuse' at 0x0030");
  EXPECT_EQ(judge(reuse({90, 110})).text,
            ".reuse occurs once at 4 targets, 25 for 100 instead of 90 to 110; the first with 0 is 'FFMA R20, R4, R8, "
            "R12' at 0x0010");
}

TEST(VerifyOperands, WhereThereIsNoTargetNothingIsProven) {
  EXPECT_EQ(judge(reuse({0, 0}), "CS2R R2, SR_CLOCKLO\nCS2R R4, SR_CLOCKLO\nEXIT", 0).code, "operands");
}

TEST(VerifyOperands, WhatElseIsWrongIsSaidFirst) { EXPECT_EQ(judge(reuse({0, 0}), four, 3).code, "count"); }

TEST(VerifyOperands, ARecordedListingIsRejectedOnceItsRegistersAreOthers) {
  const std::string text = testing::read("harness/code/testdata/listings/hmma.sm_80.sass");
  Expectation expect;
  expect.target = {"HMMA"};
  expect.count = {{std::string("n")}};
  expect.chain = true;
  expect.operands = {.in_one_bank = {{5, {100, 100}}}, .reuse = Range{130, 134}};
  const auto code = [&](const std::string& from, const std::string& to) {
    std::string changed = text;
    const std::size_t at = changed.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    changed.replace(at, from.size(), to);
    const auto listings = parse_listings(changed);
    EXPECT_TRUE(listings);
    return listings ? verify(listings->front(), expect, {}, 3).code : "";
  };
  EXPECT_EQ(code("HMMA", "HMMA"), "verified");
  EXPECT_EQ(code("R8, R4.reuse, R2.reuse, R8", "R8, R4.reuse, R2, R8"), "operands");
  EXPECT_EQ(code("R8, R4.reuse, R2.reuse, R8", "R8, RZ, R2.reuse, R8"), "operands");
}

}  // namespace
}  // namespace warpclock
