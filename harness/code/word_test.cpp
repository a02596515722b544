#include "code/word.hpp"

#include <gtest/gtest.h>

#include "base/testing/matchers.hpp"

namespace warpclock {
namespace {

constexpr std::uint64_t base = 0x100000000;

TEST(Words, AreSixteenBytesEach) {
  std::string code;
  append_word(code, {0x0c001f0302047589, 0x001e2800000e0000});
  append_word(code, {1, 2});
  EXPECT_EQ(code.size(), 32U);
  EXPECT_EQ(code[0], '\x89');
  EXPECT_EQ(words_of(code), (std::vector<Word>{{0x0c001f0302047589, 0x001e2800000e0000}, {1, 2}}));
  EXPECT_EQ(words_of(code.substr(0, 31)).size(), 1U);
}

TEST(WordText, IsOneWhereverItStands) {
  EXPECT_EQ(word_text("MOV R1, 0x1f0", "MOV R1, 0x1f0", base, 0x40), (WordText{"MOV R1, 0x1f0", std::nullopt, 0}));
}

TEST(WordText, OfABranchHasADistance) {
  const auto back = word_text("@P0 BRA 0xffffff90", "@P0 BRA 0xffffffd0", base + 0x20, 0x40);
  EXPECT_EQ(back, (WordText{"@P0 BRA ", -0x90, 8}));
  const auto forth = word_text("BSSY B0, 0x1000000f0", "BSSY B0, 0x100000130", base, 0x40);
  EXPECT_EQ(forth, (WordText{"BSSY B0, ", 0xf0, 9}));
  // Digits before and after the differing ones belong to the number.
  EXPECT_EQ(word_text("BRA 0x100000f00, R1", "BRA 0x100001300, R1", base, 0x400), (WordText{"BRA , R1", 0xf00, 4}));
  EXPECT_EQ(word_text("BRA 0xffff", "BRA 0x1001f", 0xfff0, 0x20), (WordText{"BRA ", 0xf, 4})) << "a digit more";
}

TEST(WordText, IsUnknownWhereMoreThanATargetMoves) {
  EXPECT_FALSE(word_text("BRA 0x100000010", "BRA 0x100000040", base, 0x40)) << "by another distance";
  EXPECT_FALSE(word_text("BRA 0x100000010, 0x10", "BRA 0x100000050, 0x50", base, 0x40)) << "two numbers";
  EXPECT_FALSE(word_text("BRA 0x100000010", "BRX 0x100000050", base, 0x40));
  EXPECT_FALSE(word_text("MOV R1, R2", "MOV R1, R3", base, 1)) << "no number";
  EXPECT_FALSE(word_text("MOV R1", "MOV R1, R3", base, 1));
  EXPECT_FALSE(word_text("", "MOV", base, 1));
}

const std::vector<Word> pair{{0x794d, 0x000fea0003800000}, {0x7918, 0x000fc00000000000}};
const std::string printed =
    "\t.headerflags\t@\"x\"\n"
    "        /*100000000*/                   EXIT ;  /* 0x000000000000794d */\n"
    "                                                /* 0x000fea0003800000 */\n"
    "        /*100000010*/                   NOP;    /* 0x0000000000007918 */\n"
    "                                                /* 0x000fc00000000000 */\n";

TEST(RawTexts, AreWhatWasPrinted) {
  EXPECT_EQ(must(raw_texts(printed, pair, base)), (std::vector<std::string_view>{"EXIT", "NOP"}));
}

TEST(RawTexts, RefuseOtherWordsAndAddresses) {
  EXPECT_FALSE(raw_texts(printed, pair, base + 16));
  EXPECT_FALSE(raw_texts(printed, {{pair[1], pair[0]}}, base));
  EXPECT_FALSE(raw_texts(printed, {{pair[0]}}, base));
  EXPECT_FALSE(raw_texts(printed, {{pair[0], pair[1], pair[1]}}, base));
  EXPECT_FALSE(raw_texts(printed.substr(0, printed.rfind("/*")), pair, base));
  EXPECT_FALSE(raw_texts("Segmentation fault\n" + printed, pair, base));
  EXPECT_FALSE(raw_texts("", pair, base));
}

}  // namespace
}  // namespace warpclock
