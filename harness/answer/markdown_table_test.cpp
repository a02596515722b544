#include "answer/markdown_table.hpp"

#include <gtest/gtest.h>

namespace warpclock {
namespace {

TEST(MarkdownTable, EscapesWhatWouldBeMarkup) {
  EXPECT_EQ(markdown_text("a|b <c> & *d*\n[e]`"), "a\\|b &lt;c> &amp; \\*d\\* \\[e\\]\\`");
  EXPECT_EQ(markdown_code("a|b\nc"), "`a\\|b c`");
  EXPECT_EQ(markdown_code("a `b`"), "`` a `b` ``");
  EXPECT_EQ(markdown_code(""), "");
}

TEST(MarkdownTable, RowsAreAsWideAsTheHeader) {
  MarkdownTable table;
  table.column("a");
  table.column("b", true);
  EXPECT_EQ(table.text(), "");
  table.row({"1"});
  table.row({"1", "2", "3"});
  EXPECT_EQ(table.text(), "| a | b |\n|---|---:|\n| 1 | |\n| 1 | 2 |\n\n");
}

}  // namespace
}  // namespace warpclock
