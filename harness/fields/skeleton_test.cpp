#include "fields/skeleton.hpp"

#include "base/lookup.hpp"
#include "base/testing/matchers.hpp"

namespace warpclock {
namespace {

using Kind = Numeral::Kind;

std::vector<Kind> kinds(std::string_view text) { return mapped(skeleton_of(text).numerals, &Numeral::kind); }

std::vector<std::int64_t> values(std::string_view text) {
  return mapped(skeleton_of(text).numerals, [](const Numeral& numeral) { return numeral.last ? -1 : numeral.value; });
}

TEST(Skeletons, NumbersAreSlots) {
  EXPECT_EQ(skeleton_of("IADD3 R8, R12, -R9, RZ").text, "@# IADD3 #, #, -#, #");
  EXPECT_THAT(values("IADD3 R8, R12, -R9, RZ"), ElementsAre(-1, 8, 12, 9, -1));
  EXPECT_THAT(kinds("@!UP3 UISETP.NE.U32.AND UP1, PT, UR7, 0x1f, P2"),
              ElementsAre(Kind::UniformPredicate, Kind::UniformPredicate, Kind::Predicate, Kind::UniformRegister,
                          Kind::Number, Kind::Predicate));
  EXPECT_THAT(kinds("DEPBAR.LE SB0, 0x1"), ElementsAre(Kind::Predicate, Kind::Scoreboard, Kind::Number));
}

TEST(Skeletons, ASlotIsInAnOperand) {
  std::vector<int> operands;
  for (const Numeral& numeral : skeleton_of("@P0 LDG.E R0, desc[UR4][R2.64], !P1").numerals)
    operands.push_back(numeral.operand);
  EXPECT_THAT(operands, ElementsAre(-1, 0, 1, 1, 1, 1, 2));
}

TEST(Skeletons, AGuardIsThereEvenWhereItIsNotPrinted) {
  EXPECT_EQ(skeleton_of("@P0 BSYNC B1").text, "@# BSYNC #");
  EXPECT_EQ(skeleton_of("@PT BSYNC B1"), skeleton_of("BSYNC B1"));
  EXPECT_EQ(skeleton_of("@!P0 BSYNC B1").text, "@!# BSYNC #");
}

TEST(Skeletons, AnAddressHasAnOffsetEvenWhereItIsNotPrinted) {
  EXPECT_EQ(skeleton_of("LDS R0, [R4]"), skeleton_of("LDS R0, [R4+0x0]"));
  EXPECT_EQ(skeleton_of("LDG.E R0, desc[UR4][R2.64]").text, "@# LDG.E #, desc[#+#][#.64+#]");
  EXPECT_THAT(values("LDG.E R0, desc[UR4][R2.64+-0x10]"), ElementsAre(-1, 0, 4, 0, 2, -16));
  EXPECT_EQ(skeleton_of("ULDC UR4, c[0x0][0x210]").text, "@# ULDC #, c[#][#]") << "no register, no offset";
  EXPECT_THAT(values("ATOMS.ADD R0, [R4+UR5], R6"), ElementsAre(-1, 0, 4, 5, 0, 6));
}

TEST(Skeletons, NamesAndFractionsStayAsTheyAre) {
  EXPECT_EQ(skeleton_of("HMMA.16816.F32 R4, R8, R12, R4").text, "@# HMMA.16816.F32 #, #, #, #");
  EXPECT_EQ(skeleton_of("HADD2 R4, R8.H0_H0, -R9.H1_H1").text, "@# HADD2 #, #.H0_H0, -#.H1_H1");
  EXPECT_EQ(skeleton_of("FMUL R0, R1, 1.1754943508222875074e-38").text, "@# FMUL #, #, 1.1754943508222875074e-38");
  EXPECT_EQ(skeleton_of("HFMA2 R0, R1, 2, 2").text, "@# HFMA2 #, #, 2, 2");
  EXPECT_EQ(skeleton_of("FADD R0, |R1|, +INF").text, "@# FADD #, |#|, +INF");
  EXPECT_EQ(skeleton_of("CS2R R4, SR_CLOCKLO").text, "@# CS2R #, SR_CLOCKLO");
  EXPECT_THAT(values("IADD3 R0, R1, -0x8, RZ"), ElementsAre(-1, 0, 1, -8, -1)) << "a sign before a number is its own";
}

TEST(Skeletons, ReuseIsOfItsRegister) {
  const Skeleton skeleton = skeleton_of("FFMA R0, R1, R2.reuse, R3");
  EXPECT_EQ(skeleton.text, "@# FFMA #, #, #, #");
  EXPECT_TRUE(skeleton.numerals[3].reuse);
  EXPECT_FALSE(skeleton.numerals[2].reuse);
  const Skeleton magnitude = skeleton_of("FSETP.GT.AND P0, PT, |R5|.reuse, -|R6|.reuse, PT");
  EXPECT_EQ(magnitude.text, "@# FSETP.GT.AND #, #, |#|, -|#|, #");
  EXPECT_TRUE(magnitude.numerals[3].reuse && magnitude.numerals[4].reuse);
}

TEST(Skeletons, IsTheTextAgain) {
  for (const char* text : {"@PT FFMA R0, R1, R2.reuse, R3", "@!P0 LDG.E.128 R4, desc[UR4+0x0][R2.64+-0x10]",
                           "@PT BAR.SYNC 0x0", "@UP1 UISETP.NE.U32.AND UP1, UPT, UR7, URZ, UPT", "@PT NANOSLEEP 0x1f4",
                           "@PT FADD R0, |R1|.reuse, |R2|", "@PT FADD R0, R1, 1.5"}) {
    EXPECT_EQ(text_of(skeleton_of(text)), text);
  }
}

TEST(Skeletons, AnyTextHasOne) {
  for (const char* text : {"",
                           "@",
                           "@P",
                           "[",
                           "]]",
                           "-",
                           "-0x",
                           "R",
                           "UR999",
                           "R1.",
                           "0x",
                           "99999999999999999999",
                           "#",
                           "1.",
                           "@[R1?0.0e]",
                           "R4.reuse.reuse",
                           "R5.reuse|2",
                           "|R4|.reuse",
                           "|R4|.reuse|.reuse",
                           "R4||.reuse",
                           "|R4.reuse|.reuse",
                           "@!",
                           "[R4",
                           "1.5e",
                           "1.5e-"}) {
    const Skeleton skeleton = skeleton_of(text);
    EXPECT_EQ(skeleton_of(text_of(skeleton)), skeleton) << text;
  }
}

}  // namespace
}  // namespace warpclock
