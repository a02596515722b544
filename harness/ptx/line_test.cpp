#include "ptx/line.hpp"

#include <gtest/gtest.h>

#include "base/testing/matchers.hpp"
#include "ptx/testing/testdata.hpp"

namespace warpclock {
namespace {

using Kind = PtxTerm::Kind;

/// Columns refer to the text from which a line was read and do not affect its meaning.
void drop_places(PtxLine& line) {
  const auto drop = [](auto&& self, std::vector<PtxTerm>& terms) -> void {
    for (PtxTerm& term : terms) {
      term.line = term.column = 1;
      self(self, term.items);
    }
  };
  line.line = line.column = 1;
  drop(drop, line.operands);
}

PtxLine parsed(std::string_view text) { return must(parse_ptx(text)); }

TEST(PtxLineText, OfATemplate) {
  const PtxLine line = parsed("fma.rn.f32 {d}, {a}, {b}, {c}");
  EXPECT_EQ(line.opcode, "fma");
  EXPECT_THAT(line.modifiers, ElementsAre("rn", "f32"));
  EXPECT_EQ(line.mnemonic(), "fma.rn.f32");
  ASSERT_EQ(line.operands.size(), 4u);
  EXPECT_EQ(line.operands[3], (PtxTerm{.kind = Kind::Placeholder, .text = "c", .column = 27}));
}

TEST(PtxLineText, OfAListing) {
  const PtxLine line =
      parsed("$L__BB0_2: // loop\n\t@!%p1 /* if */ ld.global.L1::no_allocate.v2.f32 {%f1, _}, [%rd1+-16];\n");
  EXPECT_EQ(line.guard, "%p1");
  EXPECT_TRUE(line.guard_negated);
  EXPECT_EQ(line.line, 2);
  EXPECT_EQ(line.column, 17);
  EXPECT_THAT(line.modifiers, ElementsAre("global", "L1::no_allocate", "v2", "f32"));
  ASSERT_EQ(line.operands.size(), 2u);
  EXPECT_EQ(line.operands[0].kind, Kind::Vector);
  EXPECT_EQ(line.operands[0].items[1].kind, Kind::Sink);
  EXPECT_EQ(line.operands[1].kind, Kind::Address);
  EXPECT_EQ(line.operands[1].offset, "+-16");
  EXPECT_EQ(line.operands[1].column, 60);
}

TEST(PtxLineText, EveryKindOfOperand) {
  const auto kind = [](std::string_view operand) {
    const PtxLine line = parsed("x " + std::string(operand));
    return line.operands.empty() ? Kind::Sink : line.operands[0].kind;
  };
  for (const auto* name : {"%f1", "x", "%tid.x", "WARP_SZ", "$a", "%r1.b0", "_x", "!%p1", "(a, (b))"}) {
    EXPECT_EQ(kind(name), Kind::Name) << name;
  }
  for (const auto* number : {"0", "-3", "+3", "0x1F", "0b101", "017", "42U", "1.5", "1.", ".5", "-1e-3", "0f3F800000",
                             "0d3FF0000000000000", "0xffffffffU"}) {
    EXPECT_EQ(kind(number), Kind::Immediate) << number;
  }
  EXPECT_EQ(kind("{a}"), Kind::Placeholder);
  EXPECT_EQ(kind("{ a }.b0"), Kind::Placeholder);
  EXPECT_EQ(kind("{%r1}"), Kind::Vector);
  EXPECT_EQ(kind("{a, b}"), Kind::Vector);
  EXPECT_EQ(kind("{{lo}, {hi}}"), Kind::Vector);
  EXPECT_EQ(kind("[a, {b, c}]"), Kind::Address);
  EXPECT_EQ(kind("%p1|%p2"), Kind::Pair);
  EXPECT_EQ(kind("_|{p}"), Kind::Pair);
  EXPECT_EQ(kind("_"), Kind::Sink);
}

TEST(PtxLineText, NumbersEndWherePtxEndsThem) {
  for (const auto* number : {"0", "-3", "0x1F", "0b10", "1e5", "1.e5", "0f00000000"}) EXPECT_TRUE(is_number(number));
  for (const auto* text : {"", "-", "0x", "0b2", "0f1234567", "0d0", "1e", ".", "e5", "1UU", "--1", "0f123456789"}) {
    EXPECT_FALSE(is_number(text)) << text;
  }
}

TEST(PtxLineText, BlanksAndCommentsMakeNoDifference) {
  PtxLine tight = parsed("@p add.f32 %f1,%f2,[a+4];");
  PtxLine wide = parsed("/* a */ l1: l2:\n@ p\tadd.f32/**/%f1 , %f2 ,\r\n[ a + 4 ] ; // end");
  drop_places(tight);
  drop_places(wide);
  EXPECT_EQ(tight, wide);
}

TEST(PtxLineText, IsWrittenAsItIsRead) {
  EXPECT_EQ(to_string(parsed("@!%p1  fma.rn.f32 %f1,%f2,%f3,%f4;")), "@!%p1 fma.rn.f32 %f1, %f2, %f3, %f4");
  EXPECT_EQ(to_string(parsed("@p mov.b64 {{lo},{hi}},{a};")), "@{p} mov.b64 {{lo}, {hi}}, {a}");
  EXPECT_EQ(to_string(parsed("ld.b32 {d},[{a}-4]")), "ld.b32 {d}, [{a}+-4]");
  EXPECT_EQ(to_string(parsed("vadd {d},{a}.b0,!%p|_")), "vadd {d}, {a}.b0, !%p|_");
}

TEST(PtxLineText, ReadsAgainWhatItWrites) {
  int seen = 0;
  std::vector<std::string> texts = {"tex.2d.v4.f32.f32 {a, b, c, _}, [t, {x, y}]", "call (r), f, (a, b)", "ret;",
                                    "st.v2 [a+0x10], {0f00000000, -1}"};
  for (const auto& [text, expected] : testdata("harness/ptx/testdata/described.txt")) texts.push_back(text);
  for (const auto& [text, expected] : testdata("harness/ptx/testdata/malformed.txt")) texts.push_back(text);
  for (const std::string& text : texts) {
    auto line = parse_ptx(text);
    if (!line) continue;
    ++seen;
    auto again = parse_ptx(to_string(*line));
    ASSERT_TRUE(again) << to_string(*line) << ": " << again.error().message();
    EXPECT_EQ(to_string(*again), to_string(*line));
    drop_places(*line);
    drop_places(*again);
    EXPECT_EQ(*again, *line) << text;
  }
  EXPECT_GE(seen, 4);
}

TEST(PtxLineText, NoOperandsAreNone) { EXPECT_THAT(parsed("cp.async.wait_all;").operands, IsEmpty()); }

}  // namespace
}  // namespace warpclock
