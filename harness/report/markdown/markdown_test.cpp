#include "report/markdown/markdown.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/testing/matchers.hpp"
#include "record/testing/committed.hpp"
#include "record/testing/golden.hpp"
#include "record/testing/record.hpp"
#include "report/markdown/markdown_parts.hpp"
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

TEST(Markdown, PivotsOnlyBeyondTheMostRows) {
  Record record = testing::example_record();
  const auto table_of = [&] {
    const std::string text = render_markdown(record);
    return text.substr(text.find("### shuffle/throughput"));
  };
  EXPECT_THAT(table_of(), HasSubstr("| ilp | warps 1 | warps 2 |"));
  int kept = 0;
  std::erase_if(record.cases, [&](const CaseRecord& one) { return one.probe == "shuffle/throughput" && kept++ >= 12; });
  EXPECT_THAT(table_of(), HasSubstr("| ilp | warps | throughput (1/clk/SM) | window |"));
}

TEST(Markdown, ACellOfAPivotIsNeverTakenTwice) {
  Record record = testing::example_record();
  CaseRecord twin = *std::ranges::find(record.cases, "shuffle/throughput", &CaseRecord::probe);
  twin.id = "twin";
  record.cases.push_back(twin);
  EXPECT_THAT(render_markdown(record), HasSubstr("| ilp | warps | throughput"));
}

TEST(Markdown, AnEmptyRecordIsAReport) {
  const std::string text = render_markdown(Record{});
  EXPECT_THAT(text, HasSubstr("# Unknown GPU"));
  EXPECT_THAT(text, HasSubstr("0 cases: 0 measured, 0 rejected, 0 skipped, 0 failed."));
}

TEST(Markdown, ParametersInBytesAreInKiBAndMiB) {
  Record record = testing::example_record();
  std::int64_t kib = 1024;
  for (CaseRecord& one : record.cases) {
    if (one.probe != "shuffle/latency") continue;
    one.parameters = {{"footprint", std::int64_t{1} << 30}, {"stream_kb", kib}};
    kib *= 4;
  }
  const std::string text = render_markdown(record), part = text.substr(text.find("### shuffle/latency"));
  EXPECT_THAT(part, HasSubstr("All with footprint = 1 GiB."));
  EXPECT_THAT(part, HasSubstr("| stream | latency (cycles)"));
  EXPECT_THAT(part, HasSubstr("| 4 MiB | "));
  EXPECT_THAT(part, Not(HasSubstr("stream_kb")));
}

TEST(Markdown, NumbersSeenOfAPremiseAreShort) {
  Record record = testing::example_record();
  record.cases[0].premises = {{"L2 has the lines", true, true, 100.0 / 3, ""}};
  EXPECT_THAT(render_markdown(record), HasSubstr("seen: 33.3333."));
}

TEST(Markdown, NothingEndsWithAComma) {
  for (const Record& record : testing::committed_results()) {
    const std::string text = render_markdown(record), numbers = text.substr(text.find("## At a glance"));
    EXPECT_THAT(numbers, Not(HasSubstr(",  |"))) << record.device.name;
    EXPECT_THAT(numbers, Not(HasSubstr(", |"))) << record.device.name;
  }
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

TEST(OpcodeSummary, LeavesTheTwoClockReadsOut) {
  WindowRecord window;
  EXPECT_EQ(opcode_summary(window), "empty");
  window.opcodes = {{"CS2R", 2}};
  EXPECT_EQ(opcode_summary(window), "empty");
  window.opcodes = {{"CS2R", 6}};
  EXPECT_EQ(opcode_summary(window), "6 CS2R");
  window.opcodes = {{"A", 1}, {"B", 2}, {"C", 16}, {"CS2R", 2}, {"D", 1}, {"E", 1}};
  EXPECT_EQ(opcode_summary(window), "16 C, 2 B, 1 A, 2 more");
}

}  // namespace
}  // namespace warpclock
