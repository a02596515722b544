#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "ptx/testing/testdata.hpp"

// Lines printed by a compiler, in testdata/listed.txt. Each is described, or rejected for a reason that says what it
// is. The kernels from which they come are in testdata/kernels/.

namespace warpclock {
namespace {

std::string listed_answer(const std::string& line) {
  const auto instruction = described(line);
  if (!instruction) return instruction.error().code + ": " + instruction.error().message();
  const std::string operands = summary(*instruction);
  return operands.empty() ? "no operands" : operands;
}

TEST(Listed, EveryLineHasItsAnswer) {
  const auto entries = testdata("harness/ptx/testdata/listed.txt", listed_answer);
  EXPECT_GT(entries.size(), 400u);
  for (const auto& [line, expected] : entries) EXPECT_EQ(listed_answer(line), expected) << line;
}

TEST(Listed, WhatIsRefusedIsKnownAndNamed) {
  for (const auto& [line, expected] : testdata("harness/ptx/testdata/listed.txt", listed_answer)) {
    const auto instruction = described(line);
    if (!instruction) {
      EXPECT_EQ(instruction.error().code, "ptx-unsupported") << line << ": " << instruction.error().message();
    }
  }
}

TEST(Listed, NamesOfRegistersFitTheirOperands) {
  const auto refusal = [](const std::string& text) {
    const auto fits = registers_fit(parse_ptx(text).value(), testing_table(), {});
    return fits ? "" : fits.error().message();
  };
  for (const auto& [line, expected] : testdata("harness/ptx/testdata/listed.txt", listed_answer)) {
    if (described(line)) {
      EXPECT_EQ(refusal(line), "") << line;
    }
  }
  EXPECT_EQ(refusal("add.s32 %r1, %f2, %rd3;"),
            "1:19: operand 'b': %rd3 is the name of a register of 64 bits, and 'add.s32' takes one of 32 here");
  EXPECT_EQ(refusal("selp.b32 %r1, %r2, %r3, %r4;"),
            "1:25: operand 'c': %r4 is the name of a register of 32 bits, and 'selp.b32' takes one of 1 here");
  EXPECT_EQ(refusal("add.s64 {d}, %rd2, {b}"), "");
  EXPECT_EQ(refusal("add.s64 {d}, r2, {b}"), "") << "a name that is no compiler's";
}

TEST(Listed, NineLinesOfTenInstructionsAreAnswered) {
  std::map<bool, int> counts;
  for (const auto& [line, expected] : testdata("harness/ptx/testdata/listed.txt", listed_answer)) {
    // Directives and braces are not instructions.
    if (line.starts_with('.') || line.starts_with('{') || line.starts_with('}') || line.ends_with(':')) continue;
    ++counts[described(line).has_value()];
  }
  EXPECT_GT(counts[true], 9 * counts[false]);
}

}  // namespace
}  // namespace warpclock
