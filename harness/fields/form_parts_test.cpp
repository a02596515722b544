#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "base/text.hpp"
#include "fields/form.hpp"

namespace warpclock {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

std::vector<std::string> ways(std::string_view one, std::string_view other) {
  std::vector<std::string> all;
  for (const auto& way : changes_between(parts_of(one), parts_of(other), 4)) {
    std::vector<std::string> words;
    for (const FormChange& change : way) words.push_back(in_words(change));
    all.push_back(join(words, "; "));
  }
  return all;
}

TEST(FormParts, AreOpcodeModifiersAndOperands) {
  const FormParts parts = parts_of("@PT HFMA2.BF16_V2 R#, -|R#|.H0_H0, c[#][#], !P#");
  EXPECT_EQ(parts.opcode, "HFMA2");
  EXPECT_THAT(parts.modifiers, ElementsAre("BF16_V2"));
  EXPECT_THAT(parts.operands, ElementsAre(FormOperand{"", "R#", ""}, FormOperand{"-|", "R#", ".H0_H0"},
                                          FormOperand{"", "c[#][#]", ""}, FormOperand{"!", "P#", ""}));
  EXPECT_EQ(parts_of("@PT EXIT").opcode, "EXIT");
  EXPECT_THAT(parts_of("@PT EXIT").operands, IsEmpty());
  EXPECT_EQ(parts_of("@").opcode, "");
  EXPECT_EQ(parts_of("").opcode, "");
}

TEST(FormChanges, NameWhatDiffers) {
  EXPECT_THAT(ways("@PT FFMA R#, R#, R#, R#", "@PT FFMA R#, R#, R#, R#"), ElementsAre(""));
  EXPECT_THAT(ways("@PT FFMA.FTZ R#, R#, -R#, R#", "@PT FFMA R#, R#, R#, UR#"),
              ElementsAre("- or none; UR# or R#; FTZ or none"));
  EXPECT_THAT(ways("@PT ISETP.LT.AND P#, PT, R#, R#, PT", "@PT ISETP.GE.AND P#, PT, R#, R#, PT"),
              UnorderedElementsAre("LT or none; GE or none", "LT or GE"));
}

TEST(FormChanges, AreNoneBetweenOtherInstructions) {
  EXPECT_THAT(ways("@PT FFMA R#, R#, R#, R#", "@PT FADD R#, R#, R#, R#"), IsEmpty());
  EXPECT_THAT(ways("@PT IMAD R#, R#, R#, R#", "@PT IMAD R#, P#, R#, R#, R#"), IsEmpty());
  EXPECT_THAT(ways("@PT F2F.F64.F32 R#, R#", "@PT F2F.F32.F64 R#, R#"), IsEmpty()) << "the order says which is which";
  EXPECT_THAT(ways("@PT FFMA R#, -R#, -R#, -R#", "@PT FFMA.FTZ R#, R#, UR#, R#"), IsEmpty()) << "five things differ";
}

}  // namespace
}  // namespace warpclock
