#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>

#include "base/testing/mutator.hpp"
#include "ptx/testing/invariants.hpp"
#include "ptx/testing/testdata.hpp"

namespace warpclock {
namespace {

/// Pieces of PTX, and text that breaks its readers.
constexpr std::array<std::string_view, 42> words = {
    "{",         "}",   "[",       "]",      "|",    ",",      ";",
    "!",         "@",   "_",       "(",      ")",    ".",      "::",
    "/*",        "*/",  "//",      "\n",     "\t",   "\0",     "\xc3",
    "%tid.x",    "%f1", "{a}",     "{d}",    "-1",   "+-4",    "0f",
    "0x1",       ".v2", ".v4",     ".f32",   ".b64", ".f16x2", ".pred",
    ".m16n8k16", ".x4", ".shared", "{a, b}", "add",  "mma",    "9999999999999999999999"};

TEST(PtxMutation, NeverCrashesAndNeverDescribesHalfAnInstruction) {
  int accepted = 0, refused = 0;
  unsigned seed = 0;
  for (const auto& [text, expected] : testdata("harness/ptx/testdata/described.txt")) {
    for (int i = 0; i < 40; ++i) {
      const std::string mutated = testing::Mutator(words, ++seed).mutate(text);
      const std::string wrong = broken_invariant(mutated, testing_table());
      ASSERT_EQ(wrong, "") << "seed " << seed << ": " << mutated;
      ++(described(mutated) ? accepted : refused);
    }
  }
  EXPECT_GT(accepted, 1000) << "mutations that are all refused at once test little";
  EXPECT_GT(refused, 1500);
}

TEST(PtxMutation, OfTheTableNeverCrashes) {
  const std::string file = "configs/instructions/opcodes.yaml";
  const std::string whole = read_committed(file);
  // The first rows suffice; reading the whole file often takes too long.
  const std::string text = whole.substr(0, whole.find("  - section: Floating Point"));
  int accepted = 0;
  for (unsigned seed = 0; seed < 300; ++seed) {
    const auto table = load_opcodes(file, testing::Mutator(words, seed).mutate(text));
    if (!table) {
      EXPECT_EQ(table.error().code, "config");
      continue;
    }
    ++accepted;
    for (const auto* line : {"add.s32 {d}, {a}, {b}", "mad.wide.u32 {d}, {a}, {b}, {c}"}) {
      EXPECT_EQ(broken_invariant(line, *table), "") << "seed " << seed;
    }
  }
  EXPECT_GT(accepted, 20);
}

}  // namespace
}  // namespace warpclock
