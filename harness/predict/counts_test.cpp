#include "predict/counts.hpp"

#include <gtest/gtest.h>

#include "base/testing/matchers.hpp"
#include "code/testing/listing.hpp"

namespace warpclock {
namespace {

TEST(Counts, AreReadByTheOrderOfTheLines) {
  const auto counts = must(parse_counts(
      "==PROF== connected\n\"#\",\"Address\",\"Source\",\"Instructions Executed\",\"Thread Instructions Executed\"\n"
      ",,,inst,inst\n\"0\",\"0x7f00\",\"FFMA R0, R1, R2, R3\",\"1,056\",\"33,792\"\n\"1\",\"0x7f10\",\"EXIT\",8,9\n"));
  EXPECT_EQ(counts.by_address, (std::map<std::int64_t, std::int64_t>{{0, 1056}, {16, 8}}));
  EXPECT_EQ(counts.opcodes, (std::vector<std::string>{"FFMA", "EXIT"}));
}

TEST(Counts, OfAnotherFileAreAnError) {
  EXPECT_EQ(parse_counts("a,b\n1,2\n").error().code, "counts");
  EXPECT_EQ(parse_counts("").error().code, "counts");
  EXPECT_EQ(parse_counts("Instructions Executed\n").error().code, "counts");
  EXPECT_EQ(parse_counts("Source,Instructions Executed\n\"EXIT\",1\n\"EXIT\n").error().place, "line 3");
}

TEST(Counts, OfTwoKernelsAreAnError) {
  const std::string one = "Source,Instructions Executed\n\"EXIT\",1\n";
  const Error error = parse_counts(one + one).error();
  EXPECT_THAT(error.text, HasSubstr("the counts of a second kernel begin here"));
  EXPECT_EQ(error.place, "line 3");
}

TEST(Counts, OfAnotherKernelAreAnError) {
  const Listing listing = testing::make_listing("FFMA R0, R1, R2, R3\nEXIT\nBRA `(0x20)\nNOP");
  const auto refused = [&](const std::string& lines) {
    const auto counts = must(parse_counts("Source,Instructions Executed\n" + lines));
    const auto same = counts_are_of(counts, listing);
    return same ? std::string() : same.error().text;
  };
  EXPECT_EQ(refused("\"FFMA R0, R1, R2, R3\",1\n\"EXIT\",1\n"), "") << "without what pads the kernel";
  EXPECT_THAT(refused("\"FADD R0, R1, R2\",1\n\"EXIT\",1\n"),
              HasSubstr("they have FADD where this one has 0x0000 FFMA"));
  EXPECT_THAT(refused("\"FFMA R0, R1, R2, R3\",1\n"), HasSubstr("they have 1 instructions, and this one has 4"));
  EXPECT_THAT(refused("\"EXIT\",1\n\"EXIT\",1\n\"EXIT\",1\n\"EXIT\",1\n\"EXIT\",1\n"), HasSubstr("5 instructions"));
}

}  // namespace
}  // namespace warpclock
