#include <gtest/gtest.h>

#include <string>

#include "base/escape.hpp"
#include "base/yaml/yaml.hpp"

namespace warpclock {
namespace {

TEST(Scalar, IntegersHaveOneForm) {
  for (const char* text : {"0", "7", "-12", "4096", "99999999999999999999"})
    EXPECT_TRUE(is_plain_integer(text)) << text;
  for (const char* text :
       {"", "-", "-0", "+5", "007", "00", "0x1f", "1_000", "1e3", "1.0", " 1", "1 ", "--1", "1:30"}) {
    EXPECT_FALSE(is_plain_integer(text)) << text;
  }
}

TEST(Scalar, NumbersHaveTheFormOfJson) {
  for (const char* text : {"0", "-0", "0.5", "-2.25", "1e3", "1E-3", "1.5e+10"})
    EXPECT_TRUE(is_plain_number(text)) << text;
  for (const char* text : {"", ".5", "5.", "1e", "1e+", "+1", "01", "inf", ".inf", ".nan", "0x1p3", "1.2.3", "1 "}) {
    EXPECT_FALSE(is_plain_number(text)) << text;
  }
}

TEST(Scalar, KnowsWhatOtherReadersTakeForSomethingElse) {
  for (const char* text :
       {"",     "true", "False", "YES",   "no",   "On",  "off", "null", "~",    "1",     "-1",   "+1",        "007",
        "0x1f", "0o17", "0b101", "1_000", "1:30", "1.5", ".5",  "1e3",  ".inf", "-.INF", ".NaN", "2024-01-01"}) {
    EXPECT_TRUE(looks_typed(text)) << text;
  }
  for (const char* text : {"bfly", "n", "y", "s8", "128B", "16x", "sm_90a", "m16n8k16", "L2::128B", "add.s32", "-", ".",
                           "yes it is", "1/clk/SM", "64 MiB", "nothing"}) {
    EXPECT_FALSE(looks_typed(text)) << text;
  }
}

TEST(Utf8, AcceptsTheFirstAndLastOfEveryLength) {
  for (const char* text : {"", "\x7f", "\xc2\x80", "\xdf\xbf", "\xe0\xa0\x80", "\xed\x9f\xbf", "\xee\x80\x80",
                           "\xef\xbf\xbf", "\xf0\x90\x80\x80", "\xf4\x8f\xbf\xbf"}) {
    EXPECT_EQ(find_invalid_utf8(text), std::nullopt);
  }
}

TEST(Utf8, FindsTheFirstBadByte) {
  for (const char* bad : {"\x80", "\xbf", "\xc0\x80", "\xc1\xbf", "\xc2", "\xc2z", "\xe0\x9f\xbf", "\xed\xa0\x80",
                          "\xe1\x80", "\xf0\x8f\xbf\xbf", "\xf4\x90\x80\x80", "\xf5\x80\x80\x80", "\xff"}) {
    EXPECT_EQ(find_invalid_utf8(std::string("abc\xc3\xa9") + bad), 5U);
  }
}

}  // namespace
}  // namespace warpclock
