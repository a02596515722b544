#include "ptx/experiment/block.hpp"

#include <gtest/gtest.h>

#include "base/testing/matchers.hpp"
#include "ptx/experiment/experiment.hpp"
#include "ptx/experiment/kernel.hpp"
#include "ptx/experiment/ways.hpp"
#include "ptx/testing/described.hpp"

namespace warpclock {
namespace {

Expected<PtxInstruction> block(std::string_view text, const Choices& choices = {}) {
  const auto snippet = WARPCLOCK_TRY(parse_snippet(text));
  return describe_block(snippet, testing_table(), choices);
}

std::string operands(std::string_view text) {
  const auto described = block(text);
  return described ? summary(*described) : described.error().code + ": " + described.error().message();
}

/// The paths through the block, each with its number of statements.
std::vector<std::string> ways(std::string_view text) {
  std::vector<std::string> names;
  for (const Way& way : ways_of(parse_snippet(text).value(), testing_table())) {
    names.push_back(way.name +
                    (way.instruction ? " " + std::to_string(way.instruction->statements) : ": " + way.why_not));
  }
  return names;
}

std::vector<std::string> iterations(std::string_view text) {
  std::vector<std::string> names;
  const PtxInstruction instruction = block(text).value();
  for (const Experiment& one : latency_experiments(instruction)) names.push_back(one.name(instruction));
  return names;
}

std::string rendered_block(std::string_view text, const std::string& guard = {}) {
  return render(
      block(text).value(), [](std::size_t operand, int) { return "%" + std::to_string(operand); }, guard);
}

TEST(Block, OfOneStatementIsTheInstruction) {
  EXPECT_EQ(block("fma.rn.f32 %f1, %f2, %f3, %f4;").value(), described("fma.rn.f32 %f1, %f2, %f3, %f4").value());
}

TEST(Block, SourcesResultsAndItsOwnRegisters) {
  EXPECT_EQ(operands("mul.f32 %f4, %f1, %f2; add.f32 %f5, %f4, %f3;"), "f1<f32:b32 f2<f32:b32 f5=f32:b32 f3<f32:b32");
  EXPECT_EQ(operands("fma.rn.f32 %f1, %f2, %f3, %f1; add.f32 %f2, %f1, %f1;"), "f1+f32:b32 f2+f32:b32 f3<f32:b32");
  EXPECT_EQ(rendered_block("mul.f32 %f4, %f1, %f2; add.f32 %f5, %f4, %f3;"),
            "{ .reg .b32 wt_f4; mul.f32 wt_f4, %0, %1; add.f32 %2, wt_f4, %3; }");
}

TEST(Block, AGuardedWriteLeavesWhatWasThere) {
  EXPECT_EQ(operands("@%p1 add.f32 %f1, %f2, %f3; neg.f32 %f4, %f1;"),
            "f1+f32:b32 f2<f32:b32 f3<f32:b32 p1<pred:pred(one) f4=f32:b32");
  EXPECT_EQ(operands("mov.f32 %f1, 0f00000000; @!%p1 add.f32 %f1, %f2, %f3; neg.f32 %f4, %f1;"),
            "f2<f32:b32 f3<f32:b32 p1<pred:pred(zero) f4=f32:b32");
}

TEST(Block, AGuardStandsBeforeEveryStatement) {
  EXPECT_EQ(rendered_block("neg.f32 %f1, %f2; abs.f32 %f3, %f2;", "@p "), "{ @p neg.f32 %0, %1; @p abs.f32 %2, %1; }");
  EXPECT_TRUE(block("@%p1 neg.f32 %f1, %f2; abs.f32 %f3, %f2;")->guarded);
}

TEST(Block, AWayFromEverySourceToEachResultThatDependsOnIt) {
  EXPECT_THAT(ways("mul.f32 %f4, %f1, %f2; add.f32 %f5, %f4, %f3;"),
              ElementsAre("latency.f1 2", "latency.f2 2", "latency.f3 1"));
  EXPECT_THAT(ways("mul.f32 %f4, %f1, %f2; add.f32 %f5, %f1, %f3; add.f32 %f6, %f5, %f5;"),
              ElementsAre("latency.f1.f4 1", "latency.f1.f6 2", "latency.f2.f4 1", "latency.f3.f6 2"));
  EXPECT_THAT(ways("mov.u32 %r1, %tid.x; st.shared.u32 [%r2], %r3;"),
              ElementsAre("latency.r2: no result depends on it", "latency.r3: no result depends on it"));
}

TEST(Block, AnAddressIsASourceLikeAnyOther) {
  EXPECT_THAT(ways("ld.shared.f32 %f2,[%r4]; fma.rn.f32 %f1,%f2,%f3,%f5;"),
              ElementsAre("latency.r4 2", "latency.f3 1", "latency.f5 1"));
  EXPECT_THAT(ways("mul.wide.s32 %rd3, %r1, 8; add.s64 %rd4, %rd1, %rd3; ld.global.f32 %f2, [%rd4]; "
                   "fma.rn.f32 %f1, %f2, %f3, %f1;"),
              ElementsAre("latency.r1 4", "latency.rd1 3", "latency.f1 1", "latency.f3 1"));
}

TEST(Block, ElementsOfOneVectorHaveOneWay) {
  const auto all = ways_of(parse_snippet("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%f1, %f2, %f3, %f4}, "
                                         "{%r1, %r2}, {%r3}, {%f5, %f6, %f7, %f8}; add.f32 %f9, %f10, %f11;")
                               .value(),
                           testing_table());
  ASSERT_FALSE(all.empty());
  EXPECT_EQ(all.front().name, "latency.r1.f1");
  EXPECT_THAT(all.front().alike_from, ElementsAre("r2"));
  EXPECT_THAT(all.front().alike_to, ElementsAre("f2", "f3", "f4"));
}

TEST(Block, ARegisterThatIsWrittenAnewIsAnotherValue) {
  // The second sum reads the result of the first, and the path from %r2 does not include the first.
  EXPECT_THAT(ways("add.s32 %r1, %r1, %r3; add.s32 %r1, %r1, %r2;"),
              ElementsAre("latency.r1 2", "latency.r3 2", "latency.r2 1"));
}

TEST(Block, WhatIsCarriedIsAnIteration) {
  EXPECT_THAT(iterations("mul.f32 %f4, %f1, %f2; add.f32 %f5, %f4, %f3;"), IsEmpty());
  EXPECT_THAT(iterations("fma.rn.f32 %f1, %f2, %f3, %f1; add.f32 %f4, %f1, %f2;"), ElementsAre("iteration.f1"));
}

TEST(Block, ACarryIsADependence) {
  EXPECT_THAT(ways("add.cc.u32 %r1, %r2, %r3; addc.u32 %r4, %r5, %r6;"),
              ElementsAre("latency.r2.r1 1", "latency.r2.r4 2", "latency.r3.r1 1", "latency.r3.r4 2", "latency.r5.r4 2",
                          "latency.r6.r4 2"));
}

TEST(Block, RegistersHaveTheClassOfAllTheirUses) {
  EXPECT_EQ(operands("ld.global.u8 %rs1, [%rd1]; and.b16 %rs2, %rs1, 15;"), "rd1<b64:b64@global/1 rs2=b16:b16");
  EXPECT_EQ(operands("st.local.u32 [%rd1], %rd2; neg.s64 %rd3, %rd2;"), "rd1<b64:b64@local/4 rd2<b64:b64 rd3=s64:b64");
  EXPECT_EQ(operands("ld.shared.u8 x, [a]; cvt.u32.u8 y, x; .reg .b16 x;"), "a<b32:b32@shared/1 y=u32:b32");
  EXPECT_EQ(operands("neg.s32 %r1, %r2;\nneg.s64 %r3, %r2;"),
            "ptx: 2:14: register %r2 has 64 bits here, and 32 at 1:14");
  EXPECT_EQ(operands(".reg .b16 %r<4>;\nneg.s32 %r1, %r2; neg.s32 %r3, %r1;"),
            "ptx: 2:9: register %r1 has 32 bits here, and 16 at its .reg line");
}

TEST(Block, AddressesHaveABase) {
  const auto described =
      block(
          "mul.wide.s32 %rd3, %r1, 4; add.s64 %rd4, %rd1, %rd3; ld.global.f32 %f1, [%rd4+-8]; ld.global.f32 %f2, "
          "[%rd4+32]; add.f32 %f3, %f1, %f2;")
          .value();
  EXPECT_EQ(summary(described), "r1<s32:b32(zero) rd1<s64:b64@global/4 f3=f32:b32");
  EXPECT_EQ(described.operands[1].before, 16);
  EXPECT_EQ(described.operands[1].behind, 48);
  EXPECT_TRUE(described.operands[0].steers);
}

TEST(Block, AddressesThatNothingStandsBehindAreRefused) {
  EXPECT_THAT(operands("ld.global.u64 %rd1, [%rd2];\nld.global.u32 %r1, [%rd1];"),
              HasSubstr("ptx-unsupported: 2:20: the address %rd1 is loaded from memory"));
  EXPECT_THAT(operands("shl.b32 %r1, %r2, 3; ld.shared.u32 %r3, [%r1];"),
              HasSubstr("ptx-unsupported: 1:41: the address %r1 is not a register that the block is given"));
  EXPECT_THAT(operands("ld.global.u32 %r1, [%rd1]; ld.local.u32 %r2, [%rd1];"),
              HasSubstr("1:46: %rd1 leads to local memory here, and to global memory before"));
  EXPECT_THAT(operands("ld.global.u32 %r1, [%rd1]; ld.global.u32 %r2, [%rd1+99999];"),
              HasSubstr("the block reaches over 100016 bytes around %rd1, which are too many (at most 16384)"));
  EXPECT_THAT(operands("ld.global.u32 %r1, [%rd1]; ld.global.u32 %r2, [%rd1+0xffffffffffffffffff];"),
              HasSubstr("which are too many"));
}

TEST(Block, SaysWhatCannotBeCopied) {
  EXPECT_THAT(operands("neg.s32 %r1, %r2;\n@%p1 bra $L__BB0_2;"),
              HasSubstr("ptx-unsupported: 2:6: bra is not measured"));
  EXPECT_THAT(operands("neg.s32 %r1, %r2;\nmbarrier.init.shared.b64 [%r3], 1;"),
              HasSubstr("ptx-unsupported: 2:1: mbarrier.init.shared.b64 is not measured in a block"));
  EXPECT_THAT(operands("neg.s32 %r1, %r2;\nfrobnicate.s32 %r1;"), HasSubstr("ptx-opcode: 2:1: unknown opcode"));
}

TEST(Block, OneRegisterHasOneSpelling) {
  EXPECT_EQ(operands("neg.s32 {a}, {b}; add.s32 {c}, {a}, %b;"), "b<s32:b32 c=s32:b32");
  EXPECT_EQ(operands("neg.s32 a, b; add.s32 c, a, b;"), "b<s32:b32 c=s32:b32");
  EXPECT_EQ(operands("{ .reg .b32 t; neg.s32 t, %r1; add.s32 %r2, t, t; }"), "r1<s32:b32 r2=s32:b32");
}

TEST(Block, AVariableIsNoRegister) {
  EXPECT_EQ(operands("mov.u32 %r1, tile; add.s32 %r2, %r1, %r3; ld.shared.u32 %r4, [%r2]; neg.s32 %r5, %r4;"),
            "r3<s32:b32(zero) r5=s32:b32 s0_a:wvariable_s0_a");
  EXPECT_THAT(kernel_ptx(block("mov.u32 %r1, tile; ld.shared.u32 %r4, [%r1]; neg.s32 %r5, %r4;").value(), {}, 1),
              HasSubstr(".shared .align 128 .b8 wvariable_s0_a[1024];"));
}

TEST(Block, ValuesAreChosenAndConstantsWritten) {
  const std::string_view text = "neg.s32 %r1, %r2; abs.s32 %r3, %r1;";
  EXPECT_EQ(summary(block(text, {.values = {{"r2", "one"}}}).value()), "r2<s32:b32(one) r3=s32:b32");
  EXPECT_THAT(block(text, {.values = {{"r3", "one"}}}).error().text, HasSubstr("the block has no source 'r3'"));
  EXPECT_THAT(block(text, {.values = {{"r2", "ones"}}}).error().text, HasSubstr("unknown value 'ones'"));
  EXPECT_THAT(block(text, {.operands = {{"r2", "imm:1"}}}).error().text,
              HasSubstr("write the constant into the block"));
}

}  // namespace
}  // namespace warpclock
