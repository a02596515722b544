#include "base/parallel.hpp"

#include <gtest/gtest.h>

#include <new>

namespace warpclock {
namespace {

TEST(ForEachAtOnce, ThrowsWhatItsWorkThrows) {
  std::atomic<std::size_t> begun = 0;
  EXPECT_THROW(for_each_at_once(1'000'000,
                                [&](std::size_t i) {
                                  ++begun;
                                  if (i == 3) throw std::bad_alloc();
                                }),
               std::bad_alloc);
  EXPECT_LT(begun, 1'000'000);
}

TEST(MakeAhead, UsesEachInOrder) {
  std::vector<std::size_t> used;
  const auto done = make_ahead(
      100, [](std::size_t i) { return i * i; },
      [&](std::size_t i, std::size_t square) -> Expected<void> {
        EXPECT_EQ(square, i * i);
        used.push_back(i);
        return {};
      });
  EXPECT_TRUE(done);
  ASSERT_EQ(used.size(), 100);
  for (std::size_t i = 0; i < used.size(); ++i) EXPECT_EQ(used[i], i);
}

TEST(MakeAhead, EndsWithTheFirstError) {
  std::atomic<std::size_t> made = 0;
  const auto done = make_ahead(
      1000, [&](std::size_t i) { return ++made, i; },
      [](std::size_t i, std::size_t) -> Expected<void> {
        if (i == 3) return fail("test", "three");
        return {};
      });
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().text, "three");
  EXPECT_LT(made, 1000);
}

}  // namespace
}  // namespace warpclock
