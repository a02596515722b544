#include <gtest/gtest.h>

#include <set>

#include "base/testing/matchers.hpp"
#include "ptx/testing/testdata.hpp"

namespace warpclock {
namespace {

std::string answer(const std::string& text) { return summary(text); }

std::string rendered(std::string_view text) {
  return render(described(text).value(), [](std::size_t operand, int element) {
    return "%" + std::to_string(operand) + "_" + std::to_string(element);
  });
}

TEST(Describe, FindsWhatEveryOperandIs) {
  const auto entries = testdata("harness/ptx/testdata/described.txt", answer);
  EXPECT_GT(entries.size(), 280u);
  for (const auto& [text, expected] : entries) EXPECT_EQ(summary(text), expected) << text;
}

TEST(Describe, TheCanonicalTextMeansTheSame) {
  for (const auto& [text, expected] : testdata("harness/ptx/testdata/described.txt", answer)) {
    const auto first = described(text);
    ASSERT_TRUE(first) << text << ": " << first.error().message();
    const auto again = described(first->text);
    ASSERT_TRUE(again) << first->text << ": " << again.error().message();
    EXPECT_EQ(*first, *again) << text;
  }
}

TEST(Describe, ARegisterThatStandsTwiceIsOneOperand) {
  const auto same_as = [](std::string_view listing, std::string_view text) {
    EXPECT_EQ(described(listing).value(), described(text).value()) << listing;
    EXPECT_EQ(described(listing)->text, text);
  };
  same_as("and.b32 %r1, %r2, %r2;", "and.b32 {d}, {a}, {a}");
  same_as("fma.rn.f32 %f1, %f2, %f3, %f2;", "fma.rn.f32 {d}, {a}, {b}, {a}");
  same_as("sub.s32 x, y, y;", "sub.s32 {d}, {a}, {a}");
  same_as("vadd.s32.s32.s32 %r1, %r2.b0, %r2.b3;", "vadd.s32.s32.s32 {d}, {a}.b0, {a}.b3");
  same_as("mov.b64 %rd1, {%r1, %r1};", "mov.b64 {d}, {{a0}, {a0}}");
  same_as("st.global.v4.f32 [%rd1], {%f1, %f2, %f1, %f2};", "st.global.v4.f32 [{a}], {{b0}, {b1}, {b0}, {b1}}");
}

TEST(Describe, WhatIsWrittenIsANewValueUnlessAGuardMayLeaveTheOldOne) {
  EXPECT_EQ(described("add.s32 %r1, %r1, %r2;")->text, "add.s32 {d}, {a}, {b}");
  EXPECT_EQ(described("add.s32 %r1, %r1, %r1;")->text, "add.s32 {d}, {a}, {a}");
  EXPECT_EQ(described("@%p1 add.s32 %r1, %r1, %r2;")->text, "@{guard} add.s32 {d}, {d}, {b}");
  EXPECT_EQ(described("@!%p1 selp.b32 %r1, %r2, %r3, %p1;")->text, "@!{c} selp.b32 {d}, {a}, {b}, {c}");
}

TEST(Describe, RegistersThatStandTwiceForUnlikeThingsAreRefused) {
  EXPECT_EQ(answer("st.global.u64 [%rd1], %rd1;"),
            "ptx: 1:23: operand '%rd1' is given twice, for things that no single register can be");
  EXPECT_EQ(answer("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%f1, %f2, %f3, %f4}, {%r1, %r2}, {%r2}, "
                   "{%f1, %f2, %f3, %f4};"),
            "ptx-unsupported: 1:84: register %r2 is in two operands, and they are not the same registers: operands "
            "that share a part are not measured");
}

TEST(Describe, EveryRegisterIsInTheTextAndNothingElseIs) {
  for (const auto& [text, expected] : testdata("harness/ptx/testdata/described.txt", answer)) {
    const PtxInstruction instruction = described(text).value();
    std::set<std::pair<int, int>> there, wanted;
    for (const Piece& piece : instruction.pieces) {
      if (piece.operand >= 0) there.emplace(piece.operand, piece.element);
    }
    for (std::size_t i = 0; i < instruction.operands.size(); ++i) {
      const Operand& operand = instruction.operands[i];
      EXPECT_EQ(operand.immediate.empty(), operand.read || operand.written) << text << ": " << operand.name;
      for (int e = 0; operand.immediate.empty() && e < operand.elements; ++e) wanted.emplace(static_cast<int>(i), e);
    }
    EXPECT_EQ(there, wanted) << text;
  }
}

TEST(Describe, EveryOperandHasANameOfItsOwn) {
  for (const auto& [text, expected] : testdata("harness/ptx/testdata/described.txt", answer)) {
    std::set<std::string> names;
    const PtxInstruction instruction = described(text).value();
    for (const Operand& operand : instruction.operands) {
      EXPECT_TRUE(names.insert(operand.name).second) << text << ": " << operand.name;
    }
  }
}

TEST(Describe, RendersRegistersWhereTheyStand) {
  EXPECT_EQ(rendered("fma.rn.f32 {d}, {a}, {b}, {c}"), "fma.rn.f32 %0_0, %1_0, %2_0, %3_0;");
  EXPECT_EQ(rendered("@!{p} st.global.v2.b32 [{a}+4], {b};"), "@!%2_0 st.global.v2.b32 [%0_0+4], {%1_0, %1_1};");
  EXPECT_EQ(rendered("ld.global.b32 %r1, [%rd1-4]"), "ld.global.b32 %0_0, [%1_0+-4];");
  EXPECT_EQ(rendered("setp.lt.and.f32 %p1|%p2, %f1, 0f00000000, !%p3"),
            "setp.lt.and.f32 %0_0|%1_0, %2_0, 0f00000000, !%4_0;");
  EXPECT_EQ(rendered("mov.b64 {{lo}, {hi}}, {a}"), "mov.b64 {%0_0, %0_1}, %1_0;");
  EXPECT_EQ(rendered("vadd.s32.s32.s32 {d}, {a}.b0, {b}.h1"), "vadd.s32.s32.s32 %0_0, %1_0.b0, %2_0.h1;");
  EXPECT_EQ(rendered("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {d}, [{a}]"),
            "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0_0}, [%1_0];");
  EXPECT_EQ(rendered("fma.rn.f32 {d}, {a}, {a}, {d}"), "fma.rn.f32 %0_0, %1_0, %1_0, %0_0;");
  EXPECT_EQ(rendered("cp.async.wait_all"), "cp.async.wait_all;");
}

TEST(Describe, NamesWhatTheTableSaysOfTheInstruction) {
  const PtxInstruction fma = described("fma.rn.f32 {d}, {a}, {b}, {c}").value();
  EXPECT_EQ(fma.opcode, "fma");
  EXPECT_EQ(fma.mnemonic, "fma.rn.f32");
  EXPECT_EQ(fma.section, "Floating Point Instructions: fma");
  EXPECT_EQ(fma.kind, "arithmetic");
  EXPECT_THAT(fma.sass, ElementsAre("FFMA"));
}

TEST(Describe, NativeOpcodesGoWithTheModifiers) {
  const auto sass = [](std::string_view text) { return described(text).value().sass; };
  EXPECT_THAT(sass("rcp.approx.ftz.f32 {d}, {a}"), ElementsAre("MUFU.RCP"));
  EXPECT_THAT(sass("rcp.rn.f32 {d}, {a}"), IsEmpty());
  EXPECT_THAT(sass("mul.lo.s32 {d}, {a}, {b}"), ElementsAre("IMAD"));
  EXPECT_THAT(sass("mul.f64 {d}, {a}, {b}"), ElementsAre("DMUL"));
  EXPECT_THAT(sass("ld.shared.b32 {d}, [{a}]"), ElementsAre("LDS"));
  EXPECT_THAT(sass("ld.shared::cta.b32 {d}, [{a}]"), ElementsAre("LDS"));
  EXPECT_THAT(sass("ld.b32 {d}, [{a}]"), ElementsAre("LD"));
}

}  // namespace
}  // namespace warpclock
