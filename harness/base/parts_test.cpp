#include "base/parts.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>

namespace warpclock {
namespace {

using ::testing::ElementsAreArray;

TEST(PartsAtOnce, UsesEachPartInOrderAndClosesEachWhole) {
  constexpr std::size_t wholes = 60;
  const auto parts_of = [](std::size_t whole) { return whole % 7; };  // some have none
  std::vector<std::vector<std::atomic<int>>> worked(wholes);
  std::vector<std::pair<std::size_t, std::size_t>> used, expected;
  std::vector<std::size_t> closed, all;
  PartsAtOnce(
      wholes,
      [&](std::size_t whole) {
        worked[whole] = std::vector<std::atomic<int>>(parts_of(whole));
        return parts_of(whole);
      },
      [&](std::size_t whole, std::size_t part) { ++worked[whole][part]; },
      [&](std::size_t whole, std::size_t part) {
        EXPECT_EQ(worked[whole][part], 1);
        used.emplace_back(whole, part);
      },
      [&](std::size_t whole) {
        for (std::size_t part = 0; part < parts_of(whole); ++part) EXPECT_EQ(worked[whole][part], 1);
        closed.push_back(whole);
      })
      .run();
  for (std::size_t whole = 0; whole < wholes; ++whole) {
    all.push_back(whole);
    for (std::size_t part = 0; part < parts_of(whole); ++part) expected.emplace_back(whole, part);
  }
  EXPECT_THAT(used, ElementsAreArray(expected));
  EXPECT_THAT(closed, ElementsAreArray(all));
}

TEST(PartsAtOnce, OpensOnlyAFewWholesAhead) {
  constexpr std::size_t wholes = 1000;
  const std::size_t most = 2UL * std::max(1U, std::thread::hardware_concurrency());
  std::atomic<std::size_t> open = 0, highest = 0;
  PartsAtOnce(
      wholes,
      [&](std::size_t) {
        const std::size_t now = ++open;
        for (std::size_t known = highest; known < now && !highest.compare_exchange_weak(known, now);) continue;
        return 1UL;
      },
      [&](std::size_t whole, std::size_t) {
        // While the first one takes long, the others go on as far as they may.
        while (whole == 0 && most > 2 && open < most) std::this_thread::yield();
        if (whole == 0) std::this_thread::sleep_for(std::chrono::milliseconds(20));
      },
      [](std::size_t, std::size_t) {}, [&](std::size_t) { --open; })
      .run();
  EXPECT_EQ(open, 0U);
  EXPECT_LE(highest, most);
}

TEST(PartsAtOnce, ThrowsWhatIsThrownInIt) {
  const std::vector<std::string> places = {"open", "work", "use", "close"};
  for (const std::string& thrower : places) {
    const auto in = [&](const std::string& place, std::size_t i) {
      if (place == thrower && i == 7) throw std::bad_alloc();
    };
    std::vector<bool> closed(1000);
    EXPECT_THROW(
        PartsAtOnce(
            closed.size(), [&](std::size_t i) { return in("open", i), std::size_t{2}; },
            [&](std::size_t i, std::size_t) { in("work", i); }, [&](std::size_t i, std::size_t) { in("use", i); },
            [&](std::size_t i) { in("close", i), closed[i] = true; })
            .run(),
        std::bad_alloc)
        << thrower;
    EXPECT_FALSE(closed.back());
  }
}

TEST(PartsAtOnce, EndsWithoutWholes) {
  const auto never = [](std::size_t, std::size_t) { FAIL(); };
  PartsAtOnce(
      0, [](std::size_t) { return 0UL; }, never, never, [](std::size_t) { FAIL(); })
      .run();
}

}  // namespace
}  // namespace warpclock
