#include "report/markdown/markdown.hpp"

#include <gtest/gtest.h>

#include "base/testing/matchers.hpp"
#include "record/testing/golden.hpp"
#include "record/testing/record.hpp"
#include "report/markdown/markdown_table.hpp"

namespace warpclock {
namespace {

TEST(Markdown, IsTheAcceptedReport) { testing::expect_golden("report.md", render_markdown(testing::example_record())); }

TEST(Markdown, DropsNoCaseWithoutANumber) {
  const Record record = testing::example_record();
  const std::string text = render_markdown(record);
  for (const CaseRecord& one : record.cases) {
    if (one.outcome == Outcome::Measured) continue;
    EXPECT_THAT(text, HasSubstr(markdown_code(one.id)));
    EXPECT_THAT(text, HasSubstr(markdown_text(one.reason.text)));
  }
}

TEST(Markdown, HasALineForEachProbeThatLeadsToItsPart) {
  const Record record = testing::example_record();
  const std::string text = render_markdown(record);
  for (const ProbeRecord& probe : record.probes)
    EXPECT_THAT(text, HasSubstr("\n| [" + probe.name + "](report.html#probe:" + probe.name + ") | ")) << probe.name;
  EXPECT_THAT(text, HasSubstr("latency 23.0"));
}

TEST(Markdown, AnEmptyRecordIsAReport) {
  const std::string text = render_markdown(Record{});
  EXPECT_THAT(text, HasSubstr("# Unknown GPU"));
  EXPECT_THAT(text, HasSubstr("0 cases: 0 measured, 0 rejected, 0 skipped, 0 failed."));
}

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
