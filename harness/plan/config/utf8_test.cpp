#include <gtest/gtest.h>

#include <string>

#include "plan/config/scalar.hpp"

namespace warpclock {
namespace {

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
