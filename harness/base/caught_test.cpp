#include "base/caught.hpp"

#include <gtest/gtest.h>

#include <new>
#include <stdexcept>

#include "base/testing/matchers.hpp"

namespace warpclock {
namespace {

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
