#include "verify/verdict.hpp"

#include <gtest/gtest.h>

#include <random>

#include "base/testing/matchers.hpp"
#include "code/testing/listing.hpp"

namespace warpclock {
namespace {

TEST(Show, IsOneLineAnInstruction) {
  const Listing listing = testing::make_listing(
      "NOP\ns5 | CS2R R2, SR_CLOCKLO\ns15 y w0 r3 | @!P0 LDG.E R8, [R6.64]\nb035 | CS2R R4, SR_CLOCKLO\nEXIT");
  Verdict verdict;
  verdict.open = 1;
  verdict.close = 3;
  EXPECT_EQ(show_window(listing, verdict),
            "address  stall  yield  W  R  wait   SASS\n"
            "000010       5  -      -  -  -      CS2R R2, SR_CLOCKLO\n"
            "000020      15  yes    0  3  -      @!P0 LDG.E R8, [R6.64]\n"
            "000030       1  -      -  -  0,3,5  CS2R R4, SR_CLOCKLO\n");
}

TEST(Show, IsEmptyWhereThereIsNoWindow) {
  EXPECT_EQ(show_window(testing::make_listing("EXIT"), {}), "");
  Verdict beyond;
  beyond.close = 7;
  EXPECT_EQ(show_window(testing::make_listing("EXIT"), beyond), "");
}

using testing::index_of;
using testing::make_listing;
using ::testing::Pair;

/// ptxas's code for a chain of four shuffles (sm_80, shortened).
const std::string good = R"(
  w0 | S2R R0, SR_TID.X
  b0 s6 | IMAD.WIDE.U32 R2, R0, R3, c[0x0][0x168]
  w5 | LDG.E.STRONG.SYS R2, [R2.64]
pass:
  b5 s2 | IADD3 R11, R3, R11, R2
  s5 | CS2R R6, SR_CLOCKLO
  w0 s4 | SHFL.BFLY PT, R4, R2, R3, 0x1f
  b0 w0 s4 | SHFL.BFLY PT, R4, R4, R3, 0x1f
  b0 w0 s4 | SHFL.BFLY PT, R10, R4, R3, 0x1f
  b0 w0 s2 | SHFL.BFLY PT, R2, R10, R3, 0x1f
  b0 s2 | LOP3.LUT R11, R11, R2, RZ, 0x3c, !PT
  s6 | CS2R R4, SR_CLOCKLO
  s4 | IADD3 R8, R8, 0x1, R9
  s13 | ISETP.GE.U32.AND P0, PT, R8, c[0x0][0x188], PT
  s5 | @!P0 BRA `(pass)
  EXIT
)";

Expectation shuffles() {
  Expectation expect;
  expect.target = {"SHFL.BFLY"};
  expect.count = {{std::string("n")}};
  expect.chain = true;
  return expect;
}

std::string with(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return at == std::string::npos ? text : text.replace(at, from.size(), to);
}

Verdict judge(const std::string& text, const Expectation& expect = shuffles(), std::int64_t n = 4) {
  return verify(make_listing(text), expect, {}, n);
}

std::string code(const std::string& text, const Expectation& expect = shuffles(), std::int64_t n = 4) {
  return judge(text, expect, n).code;
}

TEST(Verify, AcceptsTheWindowAndDescribesIt) {
  const Listing listing = make_listing(good);
  const Verdict verdict = verify(listing, shuffles(), {}, 4);
  EXPECT_TRUE(verdict.verified()) << verdict.text;
  EXPECT_EQ(verdict.text, "");
  EXPECT_EQ(verdict.open, index_of(listing, "CS2R R6"));
  EXPECT_EQ(verdict.close, index_of(listing, "CS2R R4"));
  EXPECT_THAT(verdict.opcodes, ElementsAre(Pair("LOP3.LUT", 1), Pair("SHFL.BFLY", 4)));
  EXPECT_EQ(verdict.sass_hash.size(), 32U);
  EXPECT_FALSE(verdict.encoded_cycles) << "shuffles have no latency that ptxas knows";
}

TEST(Verify, TheHashIsOfTheWindowAlone) {
  const std::string hash = judge(good).sass_hash;
  EXPECT_EQ(judge(with(good, "s13 | ISETP", "s12 | ISETP")).sass_hash, hash);
  EXPECT_NE(judge(with(good, "b0 w0 s2 | SHFL", "b0 w0 s3 | SHFL")).sass_hash, hash);
}

TEST(VerifyFolded, WhenNoneOrOneOfManyIsLeft) {
  std::string one = good;
  for (int i = 0; i < 3; ++i)
    one.erase(one.find("  b0 w0"), one.find('\n', one.find("  b0 w0")) - one.find("  b0 w0") + 1);
  const Verdict verdict = judge(with(one, "R11, R2, RZ", "R11, R4, RZ"));
  EXPECT_EQ(verdict.code, "folded");
  EXPECT_THAT(verdict.text, HasSubstr("SHFL.BFLY occurs once in the window instead of 4 times: ptxas folded"));

  Expectation absent = shuffles();
  absent.target = {"SHFL.IDX"};
  EXPECT_EQ(code(good, absent), "folded");
}

TEST(VerifyCount, WhenOneIsMissingOrTooMany) {
  EXPECT_THAT(judge(good, shuffles(), 5).text, HasSubstr("SHFL.BFLY occurs 4 times in the window instead of 5 times"));
  EXPECT_EQ(judge(good, shuffles(), 5).code, "count");
  EXPECT_EQ(judge(good, shuffles(), 3).code, "count");
  EXPECT_EQ(judge(good, shuffles(), 7).code, "count");
  Expectation twice = shuffles();
  twice.count = {{std::string("n"), std::int64_t{2}}};
  EXPECT_EQ(judge(good, twice, 2).code, "broken-chain") << "the count is met and the chain is longer than n";
}

TEST(VerifyCount, WhenWhatIsRequiredIsAbsent) {
  Expectation expect = shuffles();
  expect.required = {"FADD"};
  EXPECT_EQ(code(good, expect), "count");
  EXPECT_THAT(judge(good, expect).text, HasSubstr("FADD must be in the window"));
}

TEST(VerifyCount, WhenACompanionStandsThereTooOftenOrTooSeldom) {
  const std::string once = with(good, "  b0 w0 s2", "  s2 | POPC R20, R21\n  b0 w0 s2");
  const auto claim = [](Product count) {
    Expectation expect = shuffles();
    expect.also = {"POPC"};
    expect.exactly = {{"POPC", std::move(count)}};
    return expect;
  };
  EXPECT_EQ(code(once, claim({{std::int64_t{1}}})), "verified");
  EXPECT_EQ(code(good, claim({{std::int64_t{1}}})), "count");
  EXPECT_EQ(judge(once, claim({{std::string("n")}})).text, "POPC occurs once in the window instead of 4 times");
  EXPECT_EQ(code(once, claim({{std::string("lanes")}})), "config");
  EXPECT_EQ(code(with(once, "  b0 w0 s2", "  s2 | POPC R22, R21\n  b0 w0 s2"), claim({{std::int64_t{1}}})), "count");
}

TEST(VerifyCount, WhenPtxasSerializesWarpGroupMultiplies) {
  const std::string arrive = "  s6 | WARPGROUP.ARRIVE\n", wait = "  s2 | WARPGROUP.DEPBAR.LE gsb0, 0x0\n";
  const std::string first = "  s4 | HGMMA.64x16x16.F32 R24, gdesc[UR4], R24";
  const std::string second = "  s4 | HGMMA.64x16x16.F32 R24, gdesc[UR8], R24, gsb0\n";
  const auto window = [](const std::string& inside) {
    return "  s5 | CS2R R2, SR_CLOCKLO\n" + inside + "  s6 | CS2R R4, SR_CLOCKLO\n  EXIT\n";
  };
  Expectation expect;
  expect.target = {"HGMMA"};
  expect.count = {{std::string("n")}};
  expect.chain = true;
  expect.operand = 1;
  expect.close = Close::Memory;
  expect.also = {"WARPGROUP.ARRIVE", "WARPGROUP.DEPBAR"};
  expect.exactly = {{"WARPGROUP.ARRIVE", {{std::int64_t{1}}}}, {"WARPGROUP.DEPBAR", {{std::int64_t{1}}}}};
  EXPECT_EQ(code(window(arrive + first + "\n" + second + wait), expect, 2), "verified");
  EXPECT_EQ(judge(window(arrive + first + ", gsb0\n" + wait + second + wait), expect, 2).text,
            "WARPGROUP.DEPBAR occurs twice in the window instead of once");
  EXPECT_EQ(code(window(arrive + first + ", gsb0\n" + wait + arrive + second + wait), expect, 2), "count");
}

TEST(VerifyChain, WhenTheCompilerLeftHalfOfTheLinks) {
  EXPECT_EQ(judge(good, shuffles(), 8).code, "broken-chain");
  Expectation no_chain = shuffles();
  no_chain.chain = false;
  EXPECT_EQ(judge(good, no_chain, 8).code, "count");
}

TEST(VerifyClocks, WhenTheReadsDiffer) {
  EXPECT_THAT(judge(with(good, "CS2R R4, SR", "CS2R.32 R4, SR")).text,
              AllOf(HasSubstr("'CS2R R6"), HasSubstr("'CS2R.32 R4")));
  EXPECT_EQ(code(with(good, "CS2R R4, SR", "CS2R.32 R4, SR")), "clock-mismatch");
  EXPECT_EQ(code(with(good, "CS2R R6, SR", "S2UR UR6, SR")), "clock-mismatch");
  EXPECT_EQ(code(with(good, "CS2R R4, SR_CLOCKLO", "CS2R R4, SR_CLOCKHI")), "clock-mismatch");
  EXPECT_EQ(code(with(good, "CS2R R4, SR", "@P1 CS2R R4, SR")), "clock-mismatch");
}

TEST(VerifyClocks, WhenThereAreTooFewOrTooMany) {
  EXPECT_EQ(code(with(good, "CS2R R4, SR_CLOCKLO", "CS2R R4, SRZ")), "clock-mismatch");
  const std::string third = with(good, "  b0 w0 s2", "  s2 | CS2R R20, SR_CLOCKLO\n  b0 w0 s2");
  EXPECT_EQ(code(third), "clock-mismatch");
  Expectation declared = shuffles();
  declared.also = {"CS2R"};
  EXPECT_EQ(code(third, declared), "verified");
}

TEST(VerifyForeign, WhenAnOpcodeIsNotDeclared) {
  const std::string foreign = with(good, "  b0 w0 s2", "  s2 | POPC R20, R21\n  b0 w0 s2");
  const Verdict verdict = judge(foreign);
  EXPECT_EQ(verdict.code, "foreign-opcode");
  EXPECT_THAT(verdict.text, AllOf(HasSubstr("'POPC R20, R21' at 0x0080"), HasSubstr("does not declare POPC")));
  Expectation declared = shuffles();
  declared.also = {"POPC"};
  EXPECT_EQ(code(foreign, declared), "verified");
}

TEST(VerifyForeign, NoOperationsMayOnlyCarryOnAStallCount) {
  const std::string nop = "  b0 w0 s2";
  EXPECT_EQ(code(with(good, nop, "  s1 | NOP\n" + nop)), "foreign-opcode");
  const std::string stalled = with(good, "b0 w0 s4 | SHFL.BFLY PT, R10", "b0 w0 s15 y | SHFL.BFLY PT, R10");
  EXPECT_EQ(code(with(stalled, nop, "  s9 | NOP\n" + nop)), "verified");
  EXPECT_EQ(code(with(stalled, nop, "  s15 | NOP\n  s4 | NOP\n" + nop)), "verified");
  EXPECT_EQ(code(with(stalled, nop, "  s9 | NOP\n  s4 | NOP\n" + nop)), "foreign-opcode");
  EXPECT_EQ(code(with(stalled, nop, "  s9 | @!UPT UIADD3 URZ, URZ, URZ, URZ\n" + nop)), "verified");
  EXPECT_EQ(code(with(stalled, nop, "  s9 | UIADD3 UR4, URZ, URZ, URZ\n" + nop)), "foreign-opcode");
  EXPECT_EQ(code(with(good, "  w0 s4 |", "  s1 | NOP\n  w0 s4 |")), "foreign-opcode")
      << "the opening read does not stall";
  EXPECT_EQ(code(with(with(good, "s5 | CS2R R6", "s15 | CS2R R6"), "  w0 s4 |", "  s1 | NOP\n  w0 s4 |")),
            "foreign-opcode")
      << "nor is a wait of the opening read part of the window";
}

TEST(VerifyForeign, ConsumersStandBehindTheLastTargetOnly) {
  EXPECT_EQ(code(with(good, "  b0 w0 s2", "  s2 | LOP3.LUT R11, R11, R4, RZ, 0x3c, !PT\n  b0 w0 s2")),
            "foreign-opcode");
  EXPECT_EQ(code(with(good, "RZ, 0x3c", "RZ, 0xc0")), "foreign-opcode") << "an and is no consumer of probe.cuh";
  EXPECT_EQ(code(with(good, "  b0 s2 | LOP3", "  s2 | LOP3.LUT R30, R31, R32, RZ, 0x3c, !PT\n  b0 s2 | LOP3")),
            "foreign-opcode");
}

TEST(VerifyFlow, WhenTheWindowIsNoStraightPath) {
  const std::string leaves = with(good, "  b0 w0 s2", "  s5 | @P1 BRA `(out)\n  b0 w0 s2");
  EXPECT_EQ(code(with(leaves, "  EXIT", "out:\n  EXIT")), "foreign-opcode");
  EXPECT_EQ(code(with(good, "  b0 w0 s2", "  s5 | @P1 EXIT\n  b0 w0 s2")), "foreign-opcode");
  const std::string enters = with(with(good, "  b0 w0 s2", "inside:\n  b0 w0 s2"), "(pass)", "(inside)");
  EXPECT_THAT(judge(enters).text, HasSubstr("jumps into the window"));
  EXPECT_EQ(code(enters), "foreign-opcode");
}

TEST(VerifyFlow, ADeclaredLoopMayJumpInside) {
  const std::string loop = with(with(good, "  w0 s4 | SHFL", "again:\n  w0 s4 | SHFL"), "  b0 s2 | LOP3",
                                "  s5 | @P1 BRA `(again)\n  b0 s2 | LOP3");
  EXPECT_EQ(code(loop), "foreign-opcode");
  Expectation expect = shuffles();
  expect.loop = true;
  EXPECT_EQ(code(loop, expect), "verified");
  EXPECT_EQ(code(with(with(loop, "`(again)", "`(out)"), "  EXIT", "out:\n  EXIT"), expect), "foreign-opcode");
}

TEST(VerifyFlow, WhenATargetIsNotInTheLoop) {
  const std::string loop = with(with(good, "  b0 w0 s4 | SHFL", "again:\n  b0 w0 s4 | SHFL"), "  b0 s2 | LOP3",
                                "  s5 | @P1 BRA `(again)\n  b0 s2 | LOP3");
  Expectation expect = shuffles();
  expect.loop = true;
  EXPECT_EQ(code(loop, expect), "folded");
  EXPECT_THAT(judge(loop, expect).text, HasSubstr("SHFL.BFLY PT, R4, R2, R3, 0x1f' at 0x0050 is outside"));
}

TEST(VerifySetup, WhenWhatPreparesTheWindowIsOutOfOrder) {
  Expectation expect = shuffles();
  expect.before = {"S2R", "LDG.E"};
  EXPECT_EQ(code(good, expect), "verified");
  expect.before = {"LDG.E", "S2R"};
  EXPECT_EQ(code(good, expect), "setup-order");
  EXPECT_THAT(judge(good, expect).text, HasSubstr("'S2R R0, SR_TID.X' at 0x0000 is before 'LDG"));
  expect.before = {"CCTL"};
  EXPECT_EQ(code(good, expect), "setup-order");
  expect.before = {"EXIT"};
  EXPECT_EQ(code(good, expect), "setup-order") << "it is behind the window";
  const std::string again = with(good, "pass:", "  S2R R0, SR_TID.X\npass:");
  expect.before = {"S2R", "LDG.E"};
  EXPECT_EQ(code(again, expect), "setup-order") << "the last of each is before the first of the next";
}

TEST(VerifyOpen, WhenTheLastResultIsNotRead) {
  const std::string unread = with(good, "  b0 s2 | LOP3.LUT R11, R11, R2, RZ, 0x3c, !PT\n", "");
  const Verdict verdict = judge(unread);
  EXPECT_EQ(verdict.code, "open-window");
  EXPECT_THAT(verdict.text, AllOf(HasSubstr("R2 of 'SHFL.BFLY PT, R2, R10, R3, 0x1f'"), HasSubstr("does not wait")));
  Expectation issue = shuffles();
  issue.close = Close::Issue;
  EXPECT_EQ(code(unread, issue), "verified");
}

TEST(VerifyLeaks, WhenALoadIsOutstandingAtTheOpeningRead) {
  const std::string leaky = with(with(good, "  b5 s2 | IADD3 R11, R3, R11, R2\n", ""), "  w0 s4 |", "  b5 w0 s4 |");
  const Verdict verdict = judge(leaky);
  EXPECT_EQ(verdict.code, "leaky-window");
  EXPECT_THAT(verdict.text,
              AllOf(HasSubstr("'SHFL.BFLY PT, R4, R2, R3, 0x1f'"), HasSubstr("'LDG.E.STRONG.SYS R2, [R2.64]'")));
}

TEST(VerifyChain, WhenALinkIsMissing) {
  const Verdict verdict = judge(with(good, "SHFL.BFLY PT, R10, R4", "SHFL.BFLY PT, R10, R2"));
  EXPECT_EQ(verdict.code, "broken-chain");
  EXPECT_THAT(verdict.text, HasSubstr("is in a chain of 2 dependent targets instead of 4"));
}

TEST(VerifyChain, ThroughTheClaimedOperandAlone) {
  Expectation expect = shuffles();
  expect.operand = 0;
  EXPECT_EQ(code(good, expect), "verified");
  EXPECT_EQ(code(with(good, "R10, R4, R3", "R10, R3, R4"), expect), "broken-chain");
  EXPECT_EQ(code(with(good, "R10, R4, R3", "R10, R4, R4"), expect), "broken-chain");
  expect.operand = 1;
  EXPECT_EQ(code(good, expect), "broken-chain");
  EXPECT_EQ(code(with(good, "R10, R4, R3", "R10, R4, R4")), "verified");
}

TEST(VerifyExpectation, WhatCannotBeEvaluatedIsAnError) {
  Expectation expect = shuffles();
  expect.count = {{std::string("lanes")}};
  EXPECT_EQ(code(good, expect), "config");
  EXPECT_THAT(judge(good, expect).text, HasSubstr("lanes"));
  EXPECT_EQ(verify(make_listing(good), expect, {{"lanes", std::int64_t{4}}}, 4).code, "verified");
}

TEST(VerifyExpectation, AnEmptyWindowIsVerifiedWhenNothingIsClaimed) {
  EXPECT_EQ(code("CS2R R2, SR_CLOCKLO\nCS2R R4, SR_CLOCKLO\nEXIT", {}), "verified");
  EXPECT_EQ(code("EXIT", {}), "clock-mismatch");
  EXPECT_EQ(verify({}, {}, {}, 1).code, "clock-mismatch");
}

TEST(Verify, NoMutationOfAListingBreaksIt) {
  const std::string text = testing::read("harness/code/testdata/listings/hmma.sm_90a.sass");
  Expectation expect;
  expect.target = {"HMMA"};
  expect.count = {{std::string("n")}};
  expect.chain = true;
  ASSERT_EQ(verify(parse_listings(text)->front(), expect, {}, 3).code, "verified");
  std::mt19937 random(1);
  int verified = 0, rejected = 0;
  for (int round = 0; round < 1000; ++round) {
    std::string changed = text;
    for (int edit = 0; edit < 3;) {
      // Only in the code of an instruction: the text before it is free text to the parser.
      const std::size_t at = random() % changed.size(), start = changed.rfind('\n', at), end = changed.find(';', at);
      if (start == std::string::npos || end > changed.find('\n', at) || at - start < 28) continue;
      changed[at] = "0123456789ABCDEFGHIJKLMNOPRSTUX.,[]!@ "[random() % 38];
      ++edit;
    }
    const auto listings = parse_listings(changed);
    if (!listings) continue;
    for (const Listing& listing : *listings) {
      for (const Close close : {Close::Result, Close::Memory}) {
        expect.close = close;
        expect.loop = round % 2 == 0;
        ++(verify(listing, expect, {}, 3).verified() ? verified : rejected);
      }
    }
  }
  EXPECT_GT(verified, 100);
  EXPECT_GT(rejected, 100);
}

}  // namespace
}  // namespace warpclock
