#include "plan/parameters.hpp"

#include <gtest/gtest.h>

#include "base/testing/matchers.hpp"

namespace warpclock {
namespace {

const Parameters point = {{"warps", 4}, {"ilp", 2}, {"mode", "bfly"}, {"hint", "L2::evict_last"}};

TEST(Product, MultipliesNumbersAndParameters) {
  EXPECT_EQ((Product{{32, "warps", "ilp"}}.evaluate(point)), 256);
  EXPECT_EQ(Product{}.evaluate(point), 1);
  EXPECT_EQ((Product{{-1, 0, "ilp"}}.evaluate(point)), 0);
}

TEST(Product, NamesWhatIsWrong) {
  EXPECT_EQ((Product{{"wraps"}}.evaluate(point).error().text), "unknown parameter 'wraps' (did you mean 'warps'?)");
  EXPECT_EQ((Product{{"mode"}}.evaluate(point).error().text), "parameter 'mode' is 'bfly', not a number");
  EXPECT_EQ((Product{{INT64_MAX, "ilp"}}.evaluate(point).error().text), "the product does not fit in 64 bits");
  EXPECT_EQ((Product{{INT64_MIN, -1}}.evaluate(point).error().code), "config");
}

TEST(Substitute, PutsInTheValueOrItInUpperCase) {
  EXPECT_EQ(substitute("SHFL.{MODE} {mode} x{ilp}", point), "SHFL.BFLY bfly x2");
  EXPECT_EQ(substitute("{HINT}{hint}", point), "L2::EVICT_LASTL2::evict_last");
  EXPECT_EQ(substitute("", point), "");
}

TEST(Substitute, ReadsNothingInWhatWasPutIn) { EXPECT_EQ(substitute("{a}", {{"a", "{b}"}, {"b", "c"}}), "{b}"); }

TEST(Substitute, NamesWhatIsWrong) {
  EXPECT_EQ(substitute("{MOD}", point).error().text, "unknown parameter 'MOD' (did you mean 'mode'?)");
  for (const char* text : {"{mode", "mode}", "{{mode}", "{", "}", "{}", "{Mode}", "{mode}}"}) {
    EXPECT_EQ(failure_of(substitute(text, point)).code, "config") << text;
  }
}

}  // namespace
}  // namespace warpclock
