#include "base/lookup.hpp"
#include "base/testing/matchers.hpp"
#include "compose/testing/compiled_lines.hpp"

// The reasons that compile_instructions() gives if there is nothing to time or no distance to claim, and the machine
// code of each line.

namespace warpclock {
namespace {

using testing::compile_lines;
using testing::CompiledLine;

TEST(NothingDepends, TheReasonIsInTheMachineCode) {
  const std::string name = "it becomes no machine instruction: ptxas only renames a register";
  const std::string zero = "its result is the constant 0, whatever its operands hold";
  const std::vector<std::pair<std::string, std::string>> expected{
      {"mov.b32 {d}, {a}", name},
      {"and.b32 {d}, {a}, {a}", name},
      {"cvt.u32.u64 {d}, {a}", name},
      {"cvt.u64.u32 {d}, {a}",
       "no machine instruction depends on its operand: a register is read under another name, and a "
       "constant"},
      {"mov.u32 {d}, %tid.x", "SR_TID.X is read once, before the window, for all copies"},
      {"shl.b32 {d}, {a}, 40", zero},
      {"shl.b64 {d}, {a}, 70", zero},
      {"xor.b32 {d}, {a}, {a}", zero},
      {"setp.eq.s32 {p}, {a}, {a}", "its result is a constant, whatever its operands hold"},
      {"setp.ne.s32 {p}, {a}, {a}", "its result is a constant, whatever its operands hold"},
      {"fence.mbarrier_init.release.cluster", "it becomes no machine instruction, and it has no result"},
  };
  const auto lines = keys_of(expected);
  const std::vector<CompiledLine> all = compile_lines(lines, "sm_90a", false);
  for (std::size_t i = 0; i < all.size(); ++i) {
    ASSERT_TRUE(all[i].compiled.problem) << lines[i];
    EXPECT_EQ(all[i].compiled.problem->code, "no-instruction") << lines[i];
    EXPECT_EQ(all[i].compiled.problem->text, expected[i].second) << lines[i];
  }
}

TEST(Unencoded, AScoreboardIsNamedOnlyWhereOneIsOnTheChain) {
  const std::vector<std::string> lines{"ex2.approx.ftz.f32 {d}, {a}", "popc.b64 {d}, {a}", "mul.hi.s64 {d}, {a}, {b}",
                                       "bfe.s64 {d}, {a}, {b}, {c}", "fma.rn.f32 {d}, {a}, {b}, {c}"};
  const std::vector<std::string> expected{"by scoreboard", "by scoreboard", "not claimed: the copies are not all alike",
                                          "not claimed: the copies are not all alike", ""};
  const std::vector<CompiledLine> all = compile_lines(lines, "sm_90a", false);
  for (std::size_t i = 0; i < all.size(); ++i) {
    ASSERT_FALSE(all[i].compiled.trials.empty()) << lines[i];
    const InstructionVerdict& found = all[i].compiled.trials.front().verdict;
    EXPECT_TRUE(found.verified()) << lines[i];
    EXPECT_EQ(found.unencoded, expected[i]) << lines[i];
    EXPECT_EQ(found.encoded_cycles.has_value(), expected[i].empty()) << lines[i];
  }
}

}  // namespace
}  // namespace warpclock
