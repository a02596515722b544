#include <gtest/gtest.h>

#include <random>
#include <string>

#include "execute/testing/hostile_run.hpp"

namespace warpclock {
namespace {

// A minute of the fuzzer sees more; these are the same in each run.
TEST(HostileCode, EndsWithoutACrash) {
  std::mt19937 random(51);
  for (int round = 0; round < 3000; ++round) {
    std::string bytes;
    for (std::size_t i = 0; i < 5 + 4 * (random() % 48); ++i) bytes += static_cast<char>(random());
    ASSERT_EQ(testing::hostile_run(bytes), "") << "round " << round;
  }
}

}  // namespace
}  // namespace warpclock
