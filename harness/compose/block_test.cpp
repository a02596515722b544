#include "base/testing/matchers.hpp"
#include "compose/testing/compiled_lines.hpp"

// Whether verify_instruction() detects what a compiler, or a mistake in this program, could do to a block. What it
// reports for sound blocks is in testdata/blocks.txt, which compile_instruction_test.cpp reads.

namespace warpclock {
namespace {

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
  const auto all = windows_of({{apart, block_chain(apart, "f5", "f3")}});
  EXPECT_EQ(all[0].verdict().code, "leaky-window") << all[0].verdict().text;
}

}  // namespace
}  // namespace warpclock
