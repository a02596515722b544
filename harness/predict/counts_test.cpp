#include "predict/counts.hpp"

#include <gtest/gtest.h>

#include "base/testing/matchers.hpp"

namespace warpclock {
namespace {

TEST(Counts, AreReadByTheOrderOfTheLines) {
  const auto counts = must(parse_counts(
      "==PROF== connected\n\"#\",\"Address\",\"Source\",\"Instructions Executed\",\"Thread Instructions Executed\"\n"
      ",,,inst,inst\n\"0\",\"0x7f00\",\"FFMA R0, R1, R2, R3\",\"1,056\",\"33,792\"\n\"1\",\"0x7f10\",\"EXIT\",8,9\n"));
  EXPECT_EQ(counts, (std::map<std::int64_t, std::int64_t>{{0, 1056}, {16, 8}}));
}

TEST(Counts, OfAnotherFileAreAnError) {
  EXPECT_EQ(parse_counts("a,b\n1,2\n").error().code, "counts");
  EXPECT_EQ(parse_counts("").error().code, "counts");
  EXPECT_EQ(parse_counts("Instructions Executed\n").error().code, "counts");
  EXPECT_EQ(parse_counts("Source,Instructions Executed\n\"EXIT\",1\n\"EXIT\n").error().place, "line 3");
}

}  // namespace
}  // namespace warpclock
