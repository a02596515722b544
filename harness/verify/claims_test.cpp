#include "verify/claims.hpp"

#include <bit>

#include "base/testing/matchers.hpp"
#include "code/testing/listing.hpp"
#include "verify/verdict.hpp"

namespace warpclock {
namespace {

using testing::index_of;
using testing::make_listing;

/// Passes with a load, a prefetch and a chain of FFMAs. `between` is inserted between the prefetch and the chain.
std::string passes(const std::string& between, int links = 4) {
  std::string text = "pass:\nw3 | LDG.E R8, [R6.64]\nCCTL.E.PF2 [R6]\n" + between;
  for (int i = 0; i < links; ++i) text += "s4 | FFMA R10, R10, R1, R1\n";
  return text + "CS2R R2, SR_CLOCKLO\nw2 | LDG.E R9, [R6.64+0x80]\nb2 | LOP3.LUT R0, R0, R9, RZ, 0x3c, !PT\n" +
         "CS2R R4, SR_CLOCKLO\n@P0 BRA `(pass)\nEXIT";
}

std::string why(const std::string& assembly, std::optional<std::int64_t> delay = {}) {
  const Listing listing = make_listing(assembly);
  Expectation expect;
  expect.before = {"CCTL.PF2", "FFMA"};
  if (delay) expect.delay = Product{{*delay}};
  const std::size_t open = index_of(listing, "CS2R R2");
  if (auto late = why_late_wait(listing, open, expect)) return *late;
  return why_other_delay(listing, open, expect, {}).value_or("");
}

TEST(Setup, WhenALoadIsWaitedForBehindTheAccess) {
  EXPECT_THAT(
      why(passes("b3 | IADD3 R0, R0, R8, RZ\n")),
      AllOf(HasSubstr("'IADD3 R0, R0, R8, RZ' at 0x0020 waits for 'LDG.E R8"), HasSubstr("between 'CCTL.E.PF2")));
  EXPECT_EQ(why(passes("")), "") << "leaky-window is not its business";
  EXPECT_EQ(why(passes("w4 | LDG.E R8, [R6.64]\nb4 | IADD3 R0, R0, R8, RZ\n")), "") << "begun behind the access";
}

TEST(Setup, WhenTheWaitStandsBehindTheKernelsEnd) {
  const std::string text = passes("@P1 BRA `(rare)\nback:\n") + "\nrare:\nb3 | IADD3 R0, R0, R8, RZ\nBRA `(back)";
  EXPECT_THAT(why(text), HasSubstr("waits for 'LDG.E R8"));
}

TEST(Setup, WhatWasBegunBeforeTheFirstPassCountsWithoutPassesOnly) {
  const std::string text = "w5 | LDG.E R1, [R4.64]\n" + passes("b5 | NOP\n");
  EXPECT_EQ(why(text), "");
  std::string once = text;
  once.replace(once.find("@P0 BRA `(pass)"), 15, "NOP");
  EXPECT_THAT(why(once), HasSubstr("waits for 'LDG.E R1"));
}

TEST(Setup, SharedMemoryAndSpecialRegistersTakeFewCycles) {
  std::string text = passes("b3 | IADD3 R0, R0, R8, RZ\n");
  text.replace(text.find("LDG.E R8, [R6.64]"), 17, "LDS R8, [R6]");
  EXPECT_EQ(why(text), "");
}

TEST(Setup, WhenTheDelayIsNotWhatTheControlFieldsEncode) {
  EXPECT_EQ(why(passes("", 4), 16), "");
  EXPECT_THAT(why(passes("", 4), 20), HasSubstr("17 cycles are encoded from 'CCTL.E.PF2 [R6]' at 0x0010"));
  EXPECT_EQ(why(passes("", 16 / 4 + delay_slack / 4 - 1), 16), "");
  EXPECT_THAT(why(passes("", 16 / 4 + delay_slack / 4), 16), HasSubstr("instead of 16 to 96"));
}

TEST(Setup, WhenNobodyKnowsHowLongTheDelayIs) {
  EXPECT_THAT(why(passes("MEMBAR.SC.GPU\n"), 16), HasSubstr("'MEMBAR.SC.GPU' at 0x0020 is in the delay"));
  EXPECT_THAT(why(passes("w4 | LDG.E R8, [R6.64]\n"), 16), HasSubstr("is in the delay"));
  EXPECT_EQ(why(passes("w4 | LDS R8, [R6]\n"), 16), "");
}

std::string why(std::string_view inside, Close close, std::vector<std::string> target,
                std::vector<std::string> required = {}) {
  const Listing listing = make_listing("CS2R R2, SR_CLOCKLO\n" + std::string(inside) + "\nCS2R R4, SR_CLOCKLO\nEXIT");
  Expectation expect;
  expect.target = std::move(target);
  expect.required = std::move(required);
  expect.close = close;
  return why_open(listing, Window(listing, 0, listing.instructions.size() - 2, expect), expect).value_or("closed");
}

std::string result(std::string_view inside, std::vector<std::string> required = {}) {
  return why(inside, Close::Result, {"LDS", "STS", "FFMA", "ISETP"}, std::move(required));
}

TEST(ClosedByResult, WhenEachResultIsReadOrOverwritten) {
  EXPECT_EQ(result("LDS R8, [R6]\nLOP3.LUT R9, R9, R8, RZ, 0x3c, !PT"), "closed");
  EXPECT_EQ(result("LDS.128 R8, [R6]\nLOP3.LUT R9, R9, R11, RZ, 0x3c, !PT"), "closed") << "they arrive together";
  EXPECT_EQ(result("LDS R8, [R6]\nLDS R8, [R7]\nLOP3.LUT R9, R9, R8, RZ, 0x3c, !PT"), "closed");
  EXPECT_EQ(result("LDS R8, [R6]\nMOV R8, R9"), "closed") << "the move waits for the load";
  EXPECT_EQ(result("ISETP.NE.AND P0, PT, R8, R9, PT\n@P0 MOV R9, R8"), "closed") << "a predicate is read by its guard";
  EXPECT_EQ(result(""), "closed") << "nothing is measured";
}

TEST(ClosedByResult, NamesTheResultThatIsPending) {
  EXPECT_THAT(result("LDS R8, [R6]\nLDS R10, [R6]\nLOP3.LUT R9, R9, R8, RZ, 0x3c, !PT"),
              HasSubstr("does not wait for R10 of 'LDS R10, [R6]' at 0x0020"));
  EXPECT_THAT(result("LOP3.LUT R9, R9, R8, RZ, 0x3c, !PT\nLDS R8, [R6]"), HasSubstr("R8"));
  EXPECT_EQ(result("FFMA R8, R8, R8, R8\nFADD R10, R8, R8"), "closed");
  EXPECT_THAT(result("FFMA R8, R8, R8, R8\nFADD R10, R8, R8", {"FADD"}), HasSubstr("R10"))
      << "the other half is measured too";
}

TEST(ClosedByResult, CannotHoldForStoresAlone) {
  EXPECT_THAT(result("STS [R6], R8"), HasSubstr("writes no register"));
  EXPECT_EQ(result("STS [R6], R8\nLDS R8, [R6]\nMOV R9, R8"), "closed");
}

std::string memory(std::string_view inside) { return why(inside, Close::Memory, {"LDGSTS", "STS", "UBLKCP"}); }

TEST(ClosedByMemory, WhenAWaitStandsBehindTheLastTarget) {
  EXPECT_EQ(memory("LDGSTS.E [R6], [R8.64]\nLDGDEPBAR\nDEPBAR.LE SB0, 0x0"), "closed");
  EXPECT_EQ(memory("STS [R6], R8\nBAR.SYNC.DEFER_BLOCKING 0x0"), "closed");
  EXPECT_EQ(memory("STS [R6], R8\nMEMBAR.SC.GPU"), "closed");
  EXPECT_EQ(memory("STS [R6], R8\nFENCE.VIEW.ASYNC.T"), "closed");
  EXPECT_EQ(memory("STS [R6], R8\nw0 | LDS R9, [R6]\nMOV R10, R9"), "closed");
  EXPECT_EQ(memory("UBLKCP.S.G [UR8], [UR4], UR6\nSYNCS.PHASECHK.TRANS64.TRYWAIT P0, [R6+URZ], R8"), "closed");
}

TEST(ClosedByMemory, NotByAnythingLess) {
  const std::string open = "no wait for memory";
  EXPECT_THAT(memory("LDGSTS.E [R6], [R8.64]"), HasSubstr(open));
  EXPECT_THAT(memory("LDGSTS.E [R6], [R8.64]\nDEPBAR.LE SB0, 0x0"), HasSubstr(open)) << "never committed";
  EXPECT_THAT(memory("LDGSTS.E [R6], [R8.64]\nLDGDEPBAR\nDEPBAR.LE SB0, 0x1"), HasSubstr(open))
      << "one group in flight";
  EXPECT_THAT(memory("LDGDEPBAR\nDEPBAR.LE SB0, 0x0\nLDGSTS.E [R6], [R8.64]"), HasSubstr(open)) << "before the target";
  EXPECT_THAT(memory("STS [R6], R8\nw0 | LDS R9, [R6]"), HasSubstr(open)) << "nobody reads what was loaded";
  EXPECT_THAT(memory("STS [R6], R8\nFENCE.VIEW.ASYNC.S"), HasSubstr(open));
  EXPECT_THAT(memory("STS [R6], R8\nWARPSYNC.ALL"), HasSubstr(open));
  EXPECT_THAT(memory("UBLKCP.S.G [UR8], [UR4], UR6\nSYNCS.ARRIVE.TRANS64 R2, [R6+URZ], RZ"), HasSubstr(open));
}

TEST(ClosedByIssue, ClaimsNothing) { EXPECT_EQ(why("LDS R8, [R6]", Close::Issue, {"LDS"}), "closed"); }

using testing::instruction;

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
