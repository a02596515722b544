#include "report/html/deflate.hpp"

#include <gtest/gtest.h>

#include <random>

#include "record/testing/inflate.hpp"
#include "report/html/base64.hpp"

namespace warpclock {
namespace {

TEST(Deflate, InflatesToTheSame) {
  std::mt19937 random(3);
  std::string noise, words, far(40000, 'x');
  for (int i = 0; i < 100000; ++i) noise += static_cast<char>(random() % 256);
  for (int i = 0; i < 40000; ++i) words += "[\"latency\", FFMA, " + std::to_string(random() % 50);
  for (int i = 0; i < 32700; ++i) far[static_cast<std::size_t>(i)] = static_cast<char>(random() % 256);
  for (const std::string& text : {std::string(), std::string("a"), std::string("ab"), std::string(1000, 'a'), noise,
                                  words, far + far.substr(0, 20000)}) {
    EXPECT_EQ(testing::Inflate(deflate(text)).text(), text) << text.size();
  }
  EXPECT_LT(deflate(words).size(), words.size() / 5);
}

TEST(Deflate, CodesStayWithinTheirLimitAndFillIt) {
  std::vector<std::uint32_t> fibonacci = {1, 1};
  while (fibonacci.size() < 30) fibonacci.push_back(fibonacci[fibonacci.size() - 1] + fibonacci[fibonacci.size() - 2]);
  fibonacci.push_back(0);
  for (const int longest : {5, 7, 15}) {
    double kraft = 0;
    for (const int length : code_lengths(fibonacci, longest)) {
      EXPECT_LE(length, longest);
      if (length > 0) kraft += 1.0 / (1 << length);
    }
    EXPECT_EQ(kraft, 1) << longest;
  }
  EXPECT_EQ(code_lengths({0, 0}, 15), (std::vector<std::uint8_t>{1, 0}));
  EXPECT_EQ(code_lengths({0, 9}, 15), (std::vector<std::uint8_t>{0, 1}));
}

TEST(Base64, IsThatOfRfc4648) {
  const std::pair<const char*, const char*> known[] = {{"", ""},
                                                       {"f", "Zg=="},
                                                       {"fo", "Zm8="},
                                                       {"foo", "Zm9v"},
                                                       {"foob", "Zm9vYg=="},
                                                       {"fooba", "Zm9vYmE="},
                                                       {"foobar", "Zm9vYmFy"},
                                                       {"\xff\xfe\xfd", "//79"}};
  for (const auto& [bytes, text] : known) EXPECT_EQ(base64(bytes), text);
}

}  // namespace
}  // namespace warpclock
