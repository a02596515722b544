#include "code/pattern.hpp"

#include <gtest/gtest.h>

#include "code/testing/listing.hpp"

namespace warpclock {
namespace {

using testing::instruction;

TEST(Pattern, IsAnOpcodeWithASubsetOfItsModifiers) {
  const Instruction hmma = instruction("HMMA.16816.F32.BF16 R0, R4, R8, R0");
  EXPECT_TRUE(matches(hmma, "HMMA"));
  EXPECT_TRUE(matches(hmma, "HMMA.16816.F32"));
  EXPECT_TRUE(matches(hmma, "HMMA.BF16.16816"));
  EXPECT_FALSE(matches(hmma, "HMMA.1688"));
  EXPECT_FALSE(matches(hmma, "HMMA.16816.F16"));
  EXPECT_FALSE(matches(hmma, "HMM"));
  EXPECT_FALSE(matches(hmma, ""));
}

TEST(Pattern, CountsAModifierThatIsNamedTwice) {
  const Instruction mixed = instruction("IMMA.16832.S8.U8 R0, R4.ROW, R8.COL, R0");
  EXPECT_TRUE(matches(mixed, "IMMA.16832.S8"));
  EXPECT_FALSE(matches(mixed, "IMMA.16832.S8.S8"));
  EXPECT_TRUE(matches(instruction("IMMA.16832.S8.S8 R0, R4.ROW, R8.COL, R0"), "IMMA.16832.S8.S8"));
}

TEST(Pattern, OneOfSeveralIsEnough) {
  EXPECT_TRUE(matches_any(instruction("MOV R0, R1"), {"IMAD.MOV", "MOV"}));
  EXPECT_FALSE(matches_any(instruction("MOV R0, R1"), {"IMAD.MOV", "UMOV"}));
  EXPECT_FALSE(matches_any(instruction("MOV R0, R1"), {}));
}

}  // namespace
}  // namespace warpclock
