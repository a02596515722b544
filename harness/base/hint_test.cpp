#include "base/hint.hpp"

#include <gtest/gtest.h>

namespace warpclock {
namespace {

TEST(Hint, NamesTheNearestOrWhatThereIs) {
  EXPECT_EQ(hint("cgg", {"ca", "cg", "cs"}), " (did you mean 'cg'?)");
  EXPECT_EQ(hint("volatile", {"ca", "cg", "cs"}), " (one of ca, cg, cs)");
  EXPECT_EQ(hint("anything", {}), "");
}

TEST(Hint, StaysShort) {
  const std::vector<std::string> many(1000, "candidate");
  EXPECT_TRUE(hint("zz", many).ends_with("candidate, ...)"));
  EXPECT_LT(hint("zz", many).size(), 200U);
  EXPECT_EQ(hint(std::string(1 << 20, 'a'), {"aaa"}), " (one of aaa)");
}

}  // namespace
}  // namespace warpclock
