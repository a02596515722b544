#include <gtest/gtest.h>

#include "base/testing/matchers.hpp"
#include "base/yaml/yaml.hpp"

namespace warpclock {
namespace {

TEST(Tree, KeepsPlacesOrderAndQuotes) {
  const auto tree = must(parse_tree("t.yaml", "b: [x, \"1\"]\r\na:\r\n  - {c: 1}\r\n"));
  ASSERT_EQ(tree.kind, Tree::Kind::Map);
  ASSERT_EQ(tree.keys.size(), 2U);
  EXPECT_EQ(tree.keys[0].name, "b");
  EXPECT_EQ(tree.keys[1].line, 2);
  const Tree& list = tree.items[0];
  ASSERT_EQ(list.items.size(), 2U);
  EXPECT_FALSE(list.items[0].quoted);
  EXPECT_TRUE(list.items[1].quoted);
  EXPECT_EQ(list.items[1].column, 8);
  const Tree& one = tree.items[1].items[0].items[0];
  EXPECT_EQ(one.scalar, "1");
  EXPECT_EQ(one.line, 3);
  EXPECT_EQ(one.column, 9);
}

TEST(Tree, CountsColumnsInBytes) {
  EXPECT_EQ(failure_of(parse_tree("t.yaml", "\xc3\xa9: {a: 1, a: 2}\n")).message(),
            "t.yaml:1:12: duplicate key 'a' (first in line 1)");
}

TEST(Tree, TheDeepestThatIsAllowedIsRead) {
  const auto nested = [](int depth) {
    const auto count = static_cast<std::size_t>(depth);
    return std::string(count, '[') + "x" + std::string(count, ']');
  };
  EXPECT_TRUE(parse_tree("t.yaml", nested(max_config_depth)));
  EXPECT_FALSE(parse_tree("t.yaml", nested(max_config_depth + 1)));
}

TEST(Tree, TheLargestThatIsAllowedIsRead) {
  std::string text = "a: b\n#";
  text.resize(max_config_bytes, 'x');
  EXPECT_TRUE(parse_tree("t.yaml", text));
  text += 'x';
  EXPECT_EQ(failure_of(parse_tree("t.yaml", text)).place, "t.yaml:1:1");
}

TEST(Tree, QuotesInQuotesDoNotEndThem) {
  const auto tree = must(parse_tree("t.yaml", "a: 'it''s'\nb: \"a \\\" b\"\nc: \"two\n  lines\"\nd: 'x'"));
  EXPECT_EQ(tree.items[0].scalar, "it's");
  EXPECT_EQ(tree.items[1].scalar, "a \" b");
  EXPECT_EQ(tree.items[2].scalar, "two lines");
}

}  // namespace
}  // namespace warpclock
