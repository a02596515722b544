#include "predict/occupation.hpp"

#include <gtest/gtest.h>

#include <string>

namespace warpclock {
namespace {

Occupation of(const std::string& text, const std::string& pipe, bool two_passes) {
  return occupation_of(parse_instruction(text).value(), {.pipe = pipe, .interval = {4, 4}}, two_passes);
}

TEST(Occupation, ReadsTheWideOperandsOfFp64OneAfterTheOther) {
  EXPECT_EQ(of("DFMA R4, R6, R8, R4", "fp64", false).reads, 2);
  EXPECT_EQ(of("DADD R4, R6, R8", "fp64", false).reads, 1);
  EXPECT_EQ(of("DMUL R4, R6, R8", "fp64", false).reads, 1);
}

TEST(Occupation, KeepsTheIssueSlotIfAWideProductIsAddedToARegister) {
  EXPECT_TRUE(of("IMAD.WIDE.U32 R4, R6, R8, R10", "fma", true).holds_slot);
  EXPECT_FALSE(of("IMAD.WIDE.U32 R4, R6, R8, RZ", "fma", true).holds_slot);
  EXPECT_FALSE(of("IMAD R4, R6, R8, R10", "fma", false).holds_slot);
}

}  // namespace
}  // namespace warpclock
