#include "record/repeats.hpp"

#include <gtest/gtest.h>

namespace warpclock {
namespace {

std::vector<std::string> letters(const std::string& text) {
  std::vector<std::string> out;
  for (const char c : text) out.emplace_back(1, c);
  return out;
}

TEST(Repeats, FindsTheBodyThatSavesMost) {
  EXPECT_EQ(find_repeats(letters("")), (std::vector<Repeat>{}));
  EXPECT_EQ(find_repeats(letters("abc")), (std::vector<Repeat>{{0, 3, 1}}));
  EXPECT_EQ(find_repeats(letters("sxxxxe")), (std::vector<Repeat>{{0, 1, 1}, {1, 1, 4}, {5, 1, 1}}));
  EXPECT_EQ(find_repeats(letters("aabbaabb")), (std::vector<Repeat>{{0, 4, 2}}));
  EXPECT_EQ(find_repeats(letters("ababab?")), (std::vector<Repeat>{{0, 2, 3}, {6, 1, 1}}));
}

TEST(Repeats, CoversEveryLineInOrder) {
  const auto all = letters("abcabcabxyxyxyzzq");
  std::vector<std::string> again;
  for (const Repeat& block : find_repeats(all)) {
    for (std::size_t i = 0; i < block.count * block.length; ++i) {
      again.push_back(all[block.first + i % block.length]);
    }
  }
  EXPECT_EQ(again, all);
}

}  // namespace
}  // namespace warpclock
