#include "base/parallel.hpp"

#include <gtest/gtest.h>
#include <pthread.h>

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

/// No thread can be started while it lives: there is no room for the stack of one.
class NoMoreThreads {
 public:
  NoMoreThreads() {
    pthread_getattr_default_np(&before_);
    pthread_attr_t large;
    pthread_attr_init(&large);
    EXPECT_EQ(pthread_attr_setstacksize(&large, std::size_t{1} << 47), 0);
    EXPECT_EQ(pthread_setattr_default_np(&large), 0);
    pthread_attr_destroy(&large);
    EXPECT_THROW(std::thread([] {}), std::system_error);
  }
  NoMoreThreads(const NoMoreThreads&) = delete;
  NoMoreThreads& operator=(const NoMoreThreads&) = delete;
  ~NoMoreThreads() { pthread_setattr_default_np(&before_); }

 private:
  pthread_attr_t before_{};
};

TEST(ForEachAtOnce, DoesItsWorkWhereNoThreadCanBeHad) {
  const NoMoreThreads none;
  std::size_t done = 0;
  for_each_at_once(100, [&](std::size_t) { ++done; });
  EXPECT_EQ(done, 100);
  int calls = 0;
  work_at_once(8, [&] { ++calls; });
  EXPECT_EQ(calls, 1);
}

TEST(MakeAhead, DoesItsWorkWhereNoThreadCanBeHad) {
  const NoMoreThreads none;
  std::size_t sum = 0;
  const auto done = make_ahead(
      100, [](std::size_t i) { return i; },
      [&](std::size_t, std::size_t i) -> Expected<void> {
        sum += i;
        return {};
      });
  EXPECT_TRUE(done);
  EXPECT_EQ(sum, 4950);
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
