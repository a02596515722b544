#include "report/html/html_page.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>

#include "report/html/testing/packed.hpp"

namespace warpclock {
namespace {

TEST(CspHash, AgreesWithThePublishedVectors) {
  // FIPS 180-4's examples, in base64.
  EXPECT_EQ(csp_hash("abc"), "sha256-ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0=");
  EXPECT_EQ(csp_hash(""), "sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=");
  EXPECT_EQ(csp_hash("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
            "sha256-JI1qYdIGOLjlwCaTDD5gOaM85Flk/yFn9uzt1BnbBsE=");
  EXPECT_EQ(csp_hash(std::string(1000000, 'a')), "sha256-zcduXJkU+5KBocfihNc+Z/GAmkiklyAOBG05zMcRLNA=");
}

TEST(Packed, IsLettersThatNeedNoEscapingAndUnpacksToTheText) {
  std::mt19937 random(3);
  std::string text;
  for (int i = 0; i < 300; ++i) {
    const std::string letters = packed(text);
    EXPECT_TRUE(std::ranges::all_of(letters, [](char each) { return each > ' ' && each <= '~'; }));
    EXPECT_EQ(letters.find_first_of("&<>"), letters.npos);
    EXPECT_EQ(testing::unpacked(letters), text);
    for (int more = 0; more <= i / 4; ++more) text += static_cast<char>(random());
  }
}

}  // namespace
}  // namespace warpclock
