#include "ptx/experiment/block.hpp"

#include <gmock/gmock.h>

#include "verify/testing/instructions.hpp"

// Whether verify_instruction() detects what a compiler, or a mistake in this program, could do to a block. What it
// reports for sound blocks is in testdata/blocks.txt, which compile_instruction_test.cpp reads.

namespace warpclock {
namespace {

using ::testing::HasSubstr;
using testing::Windows;
using testing::windows_of;

const std::string whole = "mul.rn.f32 %f4, %f1, %f2; ex2.approx.ftz.f32 %f5, %f4; add.rn.f32 %f6, %f5, %f3;";

/// Copies of a whole block in a chain from one register to another.
Experiment block_chain(const std::string& line, const std::string& result, const std::string& source) {
  const PtxInstruction instruction = testing::instruction_of(line);
  const auto index = [&](const std::string& name) {
    const auto at = std::ranges::find(instruction.operands, name, &Operand::name);
    return static_cast<std::size_t>(at - instruction.operands.begin());
  };
  return {.question = Question::Latency, .links = {{index(result), index(source)}}};
}

TEST(BlockVerdict, ABlockInOrderIsVerified) {
  const auto all = windows_of({{whole, block_chain(whole, "f6", "f1")}});
  EXPECT_EQ(all[0].verdict().code, "verified");
}

TEST(BlockVerdict, CopiesOfLessThanTheBlockAreFolded) {
  const std::string part = "mul.rn.f32 %f4, %f1, %f2; ex2.approx.ftz.f32 %f6, %f4;";
  auto all = windows_of({{whole, block_chain(whole, "f6", "f1")}, {part, block_chain(part, "f6", "f1")}});
  all[0].kernels = all[1].kernels;
  const InstructionVerdict found = all[0].verdict();
  EXPECT_EQ(found.code, "folded");
  EXPECT_THAT(found.text, HasSubstr("one instance becomes"));
}

TEST(BlockVerdict, AnotherBlockThanTheIsolatedOneIsRewritten) {
  const std::string other = "mul.rn.f32 %f4, %f1, %f2; lg2.approx.ftz.f32 %f5, %f4; add.rn.f32 %f6, %f5, %f3;";
  auto all = windows_of({{whole, block_chain(whole, "f6", "f1")}, {other, block_chain(other, "f6", "f1")}});
  all[0].kernels = all[1].kernels;
  EXPECT_EQ(all[0].verdict().code, "rewritten");
}

TEST(BlockVerdict, ALinkThatTheResultDoesNotDependOnIsNoChain) {
  // f5 does not depend on f3, so copies that are linked through these two do not form a chain.
  const std::string apart = "ex2.approx.ftz.f32 %f5, %f1; sqrt.approx.ftz.f32 %f6, %f3;";
  Experiment wrong = block_chain(apart, "f5", "f3");
  // Without this trick the copies would already be folded.
  wrong.trick = Trick::Refreshed;
  const auto all = windows_of({{apart, wrong}});
  EXPECT_EQ(all[0].verdict().code, "broken-chain") << all[0].verdict().text;
}

TEST(BlockVerdict, WhatKeepsResultsIsSaidAndMustBeThere) {
  const std::string two = "ex2.approx.ftz.f32 %f5, %f1; add.rn.f32 %f6, %f3, %f2;";
  Experiment chain = block_chain(two, "f5", "f1");
  chain.trick = Trick::Refreshed;
  auto all = windows_of({{two, chain}});
  EXPECT_THAT(all[0].verdict().note, HasSubstr("LOP3, 2 x PRMT beside each copy"));
  // A guarded experiment keeps no results, so the same code is then a foreign opcode.
  all[0].experiment.trick = Trick::Guarded;
  EXPECT_EQ(all[0].verdict().code, "foreign-opcode");
}

}  // namespace
}  // namespace warpclock
