#include "base/error.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <new>
#include <stdexcept>
#include <vector>

#include "base/testing/matchers.hpp"

namespace warpclock {
namespace {

Expected<std::unique_ptr<int>> number(int value) {
  if (value < 0) return fail("negative", "no number", "here");
  return std::make_unique<int>(value);
}

Expected<void> positive(int value) {
  if (value <= 0) return fail("sign", "not positive");
  return {};
}

Expected<int> sum(int a, int b, std::vector<std::string>& done) {
  const auto alive = std::shared_ptr<void>(nullptr, [&](void*) { done.push_back("left"); });
  const auto first = WARPCLOCK_TRY(number(a));
  done.push_back("first");
  std::unique_ptr<int> second;
  if (b != 0) second = WARPCLOCK_TRY(number(b));
  WARPCLOCK_TRY(positive(b));
  done.push_back("second");
  return *first + *second;
}

TEST(Try, GivesTheValueAlsoOfWhatCannotBeCopied) {
  std::vector<std::string> done;
  EXPECT_EQ(sum(2, 3, done), 5);
  EXPECT_EQ(done, (std::vector<std::string>{"first", "second", "left"}));
}

TEST(Try, LeavesWithTheWholeErrorAndDestroysWhatThereIs) {
  std::vector<std::string> done;
  EXPECT_EQ(sum(-2, 3, done).error(), (Error{"negative", "no number", "here"}));
  EXPECT_EQ(done, (std::vector<std::string>{"left"}));
  done.clear();
  EXPECT_EQ(sum(2, -3, done).error().code, "negative");
  EXPECT_EQ(sum(2, 0, done).error(), (Error{"sign", "not positive", ""}));
  EXPECT_EQ(done, (std::vector<std::string>{"first", "left", "first", "left"}));
}

TEST(Try, LeavesANamedResultAsItIs) {
  Expected<std::string> named = "text";
  const auto taken = [&]() -> Expected<std::string> {
    const auto text = WARPCLOCK_TRY(named);
    return text;
  };
  EXPECT_EQ(taken(), "text");
  EXPECT_EQ(named, "text");
}

TEST(Caught, MakesAnErrorOfAnException) {
  const auto caught_from = [](const auto& work) {
    return failure_of(caught("big.json", [&]() -> Expected<int> { return work(); }));
  };
  EXPECT_THAT(caught_from([]() -> int { throw std::bad_alloc(); }),
              IsError("exception", HasSubstr("out of memory: free some")));
  EXPECT_EQ(caught_from([]() -> int { throw std::runtime_error("no such thing"); }).message(),
            "big.json: no such thing");
  EXPECT_EQ(must(caught("here", []() -> Expected<int> { return 7; })), 7);
}

}  // namespace
}  // namespace warpclock
