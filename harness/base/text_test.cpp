#include "base/text.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "base/testing/matchers.hpp"

namespace warpclock {
namespace {

TEST(Text, SplitKeepsEmptyPieces) {
  EXPECT_THAT(split("a,,b", ','), ElementsAre("a", "", "b"));
  EXPECT_THAT(split("", ','), ElementsAre(""));
  EXPECT_THAT(split(",", ','), ElementsAre("", ""));
}

TEST(Text, LinesDropBothKindsOfEnd) {
  EXPECT_THAT(lines("a\r\nb\n\nc"), ElementsAre("a", "b", "", "c"));
  EXPECT_THAT(lines("a\n"), ElementsAre("a"));
  EXPECT_TRUE(lines("").empty());
}

TEST(Text, TrimLeavesInnerBlanks) {
  EXPECT_EQ(trim(" \t a b \r\n"), "a b");
  EXPECT_EQ(trim(" \n "), "");
}

TEST(Text, JoinPutsSeparatorsBetween) {
  EXPECT_EQ(join(std::vector<std::string>{"a", "b", "c"}, ", "), "a, b, c");
  EXPECT_EQ(join(std::vector<std::string>{}, ", "), "");
}

TEST(Text, CaseIsAscii) {
  EXPECT_EQ(to_upper("l2::evict_last é"), "L2::EVICT_LAST é");
  EXPECT_EQ(to_lower("HMMA.16816.F32"), "hmma.16816.f32");
}

TEST(Text, ReplaceDoesNotSearchWhatItPutIn) {
  EXPECT_EQ(replace_all("aa", "a", "aa"), "aaaa");
  EXPECT_EQ(replace_all("n*k", "x", "y"), "n*k");
  EXPECT_EQ(replace_all("abc", "", "y"), "abc");
}

TEST(Text, EditDistanceCountsASwapOnce) {
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3u);
  EXPECT_EQ(edit_distance("latnecy", "latency"), 1u);
  EXPECT_EQ(edit_distance("", "abc"), 3u);
  EXPECT_EQ(edit_distance("abc", "abc"), 0u);
}

TEST(Text, NearestOffersOnlyWhatIsNear) {
  const std::vector<std::string> names = {"ca", "cg", "cs", "launches", "Repeat"};
  EXPECT_EQ(nearest("cgg", names), "cg");
  EXPECT_EQ(nearest("lanches", names), "launches");
  EXPECT_EQ(nearest("REPAET", names), "Repeat");
  EXPECT_EQ(nearest("zebra", names), std::nullopt);
  EXPECT_EQ(nearest("x", std::vector<std::string>{"y"}), std::nullopt) << "nothing of the word is left";
  // Too long for a quadratic search.
  const std::string hundred(100, 'c');
  EXPECT_EQ(nearest(hundred + "c", std::vector<std::string>{hundred}), std::nullopt);
  EXPECT_EQ(nearest(hundred, std::vector<std::string>{hundred + "c"}), std::nullopt);
}

TEST(Text, DidYouMeanIsEmptyWithoutACandidate) {
  EXPECT_EQ(did_you_mean("cgg", std::vector<std::string>{"cg"}), " (did you mean 'cg'?)");
  EXPECT_EQ(did_you_mean("cgg", std::vector<std::string>{}), "");
}

TEST(Text, HumanBytes) {
  EXPECT_EQ(human_bytes(0), "0 B");
  EXPECT_EQ(human_bytes(1023), "1023 B");
  EXPECT_EQ(human_bytes(1536), "1.5 KiB");
  EXPECT_EQ(human_bytes((1 << 20) - 1), "1 MiB");
  EXPECT_EQ(human_bytes(62'914'560), "60 MiB");
  EXPECT_EQ(human_bytes(std::numeric_limits<std::uint64_t>::max()), "16 EiB");
}

TEST(Text, HumanDuration) {
  EXPECT_EQ(human_duration(0.4249), "0.42 s");
  EXPECT_EQ(human_duration(12.34), "12.3 s");
  EXPECT_EQ(human_duration(59.99), "1 min 00 s");
  EXPECT_EQ(human_duration(125), "2 min 05 s");
  EXPECT_EQ(human_duration(3720), "1 h 02 min");
  EXPECT_EQ(human_duration(-1), "?");
}

TEST(Text, HumanNumberKeepsSignificantDigits) {
  EXPECT_EQ(human_number(4.0701), "4.07");
  EXPECT_EQ(human_number(675.42), "675");
  EXPECT_EQ(human_number(123456), "123456");
  EXPECT_EQ(human_number(0.001234), "0.00123");
  EXPECT_EQ(human_number(9.996), "10");
  EXPECT_EQ(human_number(-24.0), "-24");
  EXPECT_EQ(human_number(0.0), "0");
  EXPECT_EQ(human_number(1e20), "1e+20");
  EXPECT_EQ(human_number(std::numeric_limits<double>::quiet_NaN()), "nan");
}

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
