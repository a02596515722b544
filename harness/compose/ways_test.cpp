#include "ptx/experiment/ways.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "base/testing/matchers.hpp"
#include "compose/testing/compiled_lines.hpp"

// Paths through blocks, as ptxas compiles them for sm_90a.

namespace warpclock {
namespace {

using testing::compile_blocks;
using testing::CompiledLine;

const std::string loaded = "ld.shared.f32 %f2,[%r4]; fma.rn.f32 %f1,%f2,%f3,%f5;";
const std::string computed =
    "mul.wide.s32 %rd3, %r1, 8; add.s64 %rd4, %rd1, %rd3; ld.global.f32 %f2, [%rd4]; fma.rn.f32 %f1, %f2, %f3, %f1;";
const std::string beside = "add.s32 %r1,%r2,%r3; mul.lo.s32 %r4,%r5,%r6;";
const std::string atomic = "atom.shared.add.u32 %r1, [%r2], %r3; add.u32 %r4, %r5, %r1;";
const std::string selected = "selp.b32 %r3, 16, 0, %p1; add.s32 %r5, %r4, %r3; ld.shared.f64 %fd1, [%r5];";

/// All of them are studied in one batch.
const std::vector<CompiledLine>& block_of(const std::string& text) {
  static const std::vector<std::string> texts{loaded, computed, beside, atomic, selected};
  static const auto all = compile_blocks(texts, "sm_90a");
  return all.at(static_cast<std::size_t>(std::ranges::find(texts, text) - texts.begin()));
}

/// "4", or why no distance is encoded, or why the window was rejected.
std::map<std::string, std::string> answers(const std::string& text) {
  std::map<std::string, std::string> found;
  for (const CompiledLine& one : block_of(text)) {
    for (const Trial& trial : one.compiled.trials) {
      const InstructionVerdict& seen = trial.verdict;
      double links = 0;
      for (const auto& [opcode, cycles] : seen.via) links += cycles;
      std::string& answer = found[trial.experiment.name(one.instruction)];
      answer = !seen.verified()      ? seen.code
               : seen.encoded_cycles ? fmt::format("{:.3g}", *seen.encoded_cycles - links)
                                     : seen.unencoded;
      if (one.instruction.asked.empty()) continue;
      EXPECT_THAT(seen.note, IsEmpty()) << "no other statement is on the path";
    }
  }
  return found;
}

TEST(Ways, AnAddressAnswersLoadToUse) {
  const auto found = answers(loaded);
  EXPECT_EQ(found.at("latency.r4"), "by scoreboard");
  EXPECT_EQ(found.at("latency.f3"), "4");
  EXPECT_EQ(found.at("latency.f5"), "4");
}

TEST(Ways, WhatAnAddressIsComputedFromIsASourceToo) {
  const auto found = answers(computed);
  EXPECT_EQ(found.at("latency.r1"), "by scoreboard");
  EXPECT_EQ(found.at("latency.rd1"), "by scoreboard");
  EXPECT_EQ(found.at("latency.f1"), "4") << "from the sum to the sum, without the pass that it waits for";
  EXPECT_TRUE(found.contains("iteration.f1"));
}

TEST(Ways, WhatStandsBesideHasNoPartInIt) {
  const auto found = answers(beside);
  EXPECT_EQ(found.at("latency.r5.r4"), "4");
  EXPECT_EQ(found.at("latency.r6.r4"), "4");
}

TEST(Ways, AnAtomicsAddressIsChainedToo) {
  const auto found = answers(atomic);
  EXPECT_EQ(found.at("latency.r2"), "by scoreboard");
  EXPECT_EQ(found.at("latency.r3"), "by scoreboard");
}

TEST(Ways, APredicateAndADoubleLeadToAnAddress) {
  const auto found = answers(selected);
  EXPECT_EQ(found.at("latency.r4"), "by scoreboard");
}

}  // namespace
}  // namespace warpclock
