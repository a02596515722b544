#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/lookup.hpp"
#include "cli/answers/answers.hpp"
#include "cli/answers/inquiry.hpp"

namespace warpclock {
namespace {

using ::testing::ElementsAre;

std::vector<std::string> codes(const std::string& line) {
  return mapped(asked_in(line, 0), [](const AskedLine& one) { return (one.machine ? "sass " : "ptx ") + one.code; });
}

TEST(PastedLine, OfMachineCodeIsReadWithoutAddressEncodingAndSemicolon) {
  EXPECT_THAT(codes("  /*0420*/  @!P1 LDG.E R4, desc[UR4][R2.64] ;  /* 0x0000 */"),
              ElementsAre("sass @!P1 LDG.E R4, desc[UR4][R2.64]"));
  EXPECT_THAT(codes("EXIT ;"), ElementsAre("sass EXIT"));
  EXPECT_THAT(codes("@P0 EXIT"), ElementsAre("sass @P0 EXIT"));
  EXPECT_THAT(codes("IMAD"), ElementsAre("sass IMAD"));
  EXPECT_THAT(codes("@PT IADD3 R#, R#, R#, R#"), ElementsAre("sass @PT IADD3 R#, R#, R#, R#"));
  EXPECT_THAT(codes("FFMMA R1, R2, R3, R4"), ElementsAre("sass FFMMA R1, R2, R3, R4"));
}

TEST(PastedLine, OfWordsIsNoMachineCode) {
  EXPECT_THAT(codes("TLB"), ElementsAre("ptx TLB"));
  EXPECT_THAT(codes("L2 near far"), ElementsAre("ptx L2 near far"));
  EXPECT_THAT(codes(""), ElementsAre("ptx "));
}

TEST(PastedLine, OfPtxMayHaveSeveralInstructions) {
  EXPECT_THAT(codes("add.s32 %r1, %r2, %r3; // sum"), ElementsAre("ptx add.s32 %r1, %r2, %r3; // sum"));
  EXPECT_THAT(codes("{ .reg .pred p; setp.eq.s32 p, %r1, 0; @p mov.v2 {%r1, %r2}, {%r3, %r4}; }"),
              ElementsAre("ptx setp.eq.s32 p, %r1, 0", "ptx @p mov.v2 {%r1, %r2}, {%r3, %r4}"));
}

TEST(PastedLine, OfAnAsmStatementHasRegistersForItsOperands) {
  EXPECT_THAT(codes(R"(asm volatile("add.s32 %0, %1, %%laneid;\n" : "=r"(x[0]) : "r"(f(y, 1)));)"),
              ElementsAre("ptx add.s32 %r0, %r1, %laneid"));
  EXPECT_THAT(codes(R"(asm volatile("cp.async.cg.shared.global [%0], [%1], %2;" :: "r"(s), "l"(g), "n"(16));)"),
              ElementsAre("ptx cp.async.cg.shared.global [%r0], [%rd1], 16"));
  EXPECT_THAT(
      codes(R"(asm("{ .reg .f16 h;\n" "cvt.rn.f16.f32 h, %1;\n" "mov.b16 %0, h; }" : "=h"(r) : "f"(a) : "memory");)"),
      ElementsAre("ptx cvt.rn.f16.f32 h, %f1", "ptx mov.b16 %rs0, h"));
  EXPECT_THAT(codes(R"("ld.global.f32 %0, [%1];\n\t")"), ElementsAre("ptx ld.global.f32 %asm0, [%asm1]"));
}

TEST(PastedLine, ThatIsCutShortIsStillRead) {
  EXPECT_THAT(codes(R"(asm volatile("add.s32 %0, %1)"), ElementsAre("ptx add.s32 %asm0, %asm1"));
  EXPECT_THAT(codes(R"(asm volatile("bar.sync 0;" :: "r"(x)"), ElementsAre("ptx bar.sync 0"));
  EXPECT_THAT(codes(R"(asm volatile("\)"), ElementsAre(R"(ptx \)"));
  EXPECT_THAT(codes("/* open"), ElementsAre("ptx /* open"));
}

TEST(AskedKey, IsThatOfTheForm) {
  EXPECT_EQ(asked_key("@P0 IADD3 R8, R7.reuse, -R6, RZ"), "@PT IADD3 R#, R#, -R#, RZ");
  EXPECT_EQ(asked_key("IADD3  R#,R#, -R#,RZ"), "@PT IADD3 R#, R#, -R#, RZ");
  EXPECT_EQ(asked_key("@P1 EXIT"), "@PT EXIT");
  EXPECT_EQ(asked_key("MOV R4, 32@lo(table)"), "@PT MOV R#, #");
}

TEST(NoNumber, IsOfLabelsDirectivesAndJumps) {
  EXPECT_EQ(no_number_by_nature(".L_x_3:"), "a label is no instruction, and takes no time");
  EXPECT_EQ(no_number_by_nature(".reg .b32 %r<4>;"), "a directive is no instruction, and takes no time");
  EXPECT_THAT(no_number_by_nature("@P0 BRA `(.L_x_3)"), ::testing::HasSubstr("'issue/jump'"));
  EXPECT_THAT(no_number_by_nature("BSSY B0, `(.L_x_3)"), ::testing::HasSubstr("'issue/diverge'"));
  EXPECT_EQ(no_number_by_nature("FFMA R1, R2, R3, R4"), "");
}

}  // namespace
}  // namespace warpclock
