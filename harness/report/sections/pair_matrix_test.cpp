#include "report/sections/pair_matrix.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "record/testing/record.hpp"
#include "record/testing/xml_check.hpp"
#include "report/html/html_parts.hpp"
#include "report/markdown/markdown_parts.hpp"

namespace warpclock {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

CaseRecord pair(const std::string& a, const std::string& b, double cycles, double half = 0) {
  CaseRecord row = testing::example_case("issue/pair", {{"a", a}, {"b", b}}, "FFMA");
  row.estimates = {{"pair", cycles, cycles - half, cycles + half, "cycles", "slope"}};
  return row;
}

/// The first two each take one cycle, the third two, the fourth four.
Record pair_record() {
  Record record;
  record.cases = {pair("ffma", "ffma", 2),  pair("ffma", "fmul", 2),   pair("ffma", "iadd3", 2),
                  pair("ffma", "lds", 4.5), pair("fmul", "fmul", 2),   pair("fmul", "iadd3", 2.5),
                  pair("fmul", "lds", 5.5), pair("iadd3", "iadd3", 4), pair("iadd3", "lds", 0),
                  pair("lds", "lds", 8)};
  testing::refuse(record.cases[8], Outcome::Rejected, {"analyze", "nonlinear", "no line <goes> through it"});
  return record;
}

PairMatrix matrix_of(const Record& record) { return pair_matrix(known_kernel_design()->pairs, record); }

TEST(PairMatrix, SaysHowMuchOfTheShorterIsHidden) {
  const Record record = pair_record();
  const PairMatrix matrix = matrix_of(record);
  ASSERT_THAT(matrix.kinds, ElementsAre("ffma", "fmul", "iadd3", "lds"));
  EXPECT_EQ(matrix.alone[0]->value, 1);
  EXPECT_EQ(matrix.alone[3]->value, 4);
  EXPECT_EQ(overlap_text(matrix.at(0, 1)), "0");
  EXPECT_EQ(overlap_text(matrix.at(0, 2)), "100");
  EXPECT_EQ(overlap_text(matrix.at(1, 2)), "50");
  EXPECT_EQ(overlap_text(matrix.at(0, 3)), "50");
  EXPECT_EQ(overlap_text(matrix.at(1, 3)),
            "\xE2\x88\x92"
            "50");
  EXPECT_FALSE(matrix.at(0, 0).overlap);
}

TEST(PairMatrix, IsTheSameOnBothSidesOfItsDiagonal) {
  const Record record = pair_record();
  const PairMatrix matrix = matrix_of(record);
  for (std::size_t a = 0; a < matrix.kinds.size(); ++a) {
    for (std::size_t b = 0; b < matrix.kinds.size(); ++b) {
      EXPECT_EQ(matrix.at(a, b).row, matrix.at(b, a).row);
      EXPECT_EQ(overlap_text(matrix.at(a, b)), overlap_text(matrix.at(b, a)));
    }
  }
}

TEST(PairMatrix, KnowsWhatTheIntervalsLeaveOpen) {
  Record record;
  record.cases = {pair("a", "a", 2, 0.2), pair("a", "b", 4, 0.1), pair("b", "b", 8, 0.4)};
  const PairMatrix matrix = matrix_of(record);
  const Overlap& overlap = *matrix.at(0, 1).overlap;
  EXPECT_EQ(overlap.value, 1);
  EXPECT_NEAR(overlap.low, (0.9 + 3.8 - 4.1) / 0.9, 1e-9);
  EXPECT_NEAR(overlap.high, (0.9 + 4.2 - 3.9) / 0.9, 1e-9);
}

TEST(PairMatrix, HasNoOverlapWhereOneOfThreeNumbersIsMissing) {
  Record record = pair_record();
  EXPECT_EQ(overlap_text(matrix_of(record).at(2, 3)), "\xE2\x80\x93");
  testing::refuse(record.cases[0], Outcome::Failed, {"run", "fault", "it faulted"});
  const PairMatrix matrix = matrix_of(record);
  EXPECT_FALSE(matrix.alone[0]);
  EXPECT_EQ(overlap_text(matrix.at(0, 1)), "\xE2\x80\x93");
  EXPECT_EQ(overlap_text(matrix.at(1, 2)), "50");
  record = pair_record();
  record.cases[0].estimates[0].value = 0;
  record.cases[4].estimates[0].low = std::numeric_limits<double>::quiet_NaN();
  EXPECT_FALSE(matrix_of(record).at(0, 2).overlap);
  EXPECT_FALSE(matrix_of(record).at(1, 2).overlap);
}

TEST(PairMatrix, OfSeveralCasesOfTwoTakesTheFirstMeasured) {
  Record record = pair_record();
  record.cases.insert(record.cases.begin(), pair("iadd3", "ffma", 9));
  testing::refuse(record.cases[0], Outcome::Skipped, {"plan", "unsupported-arch", "later"});
  record.cases.push_back(pair("ffma", "iadd3", 3));
  const PairMatrix matrix = matrix_of(record);
  EXPECT_EQ(matrix.kinds.front(), "iadd3");
  EXPECT_EQ(matrix.at(0, 1).together->value, 2);
}

TEST(PairMatrix, IsATableWithALinkInEachCell) {
  Record record = pair_record();
  const std::string page = html_pairs(PageContext{record, Variations(record)});
  EXPECT_EQ(testing::xml_error(page), "");
  EXPECT_THAT(page,
              AllOf(HasSubstr("#issue/pair[a=ffma,b=iadd3]"), HasSubstr(">100<i>2.00</i></a>"),
                    HasSubstr("no line &lt;goes&gt; through it"), HasSubstr("class=\"on\" title=\"fmul beside lds"),
                    HasSubstr("class=\"o5\" title=\"ffma beside iadd3: 2.00 cycles for one of each; alone 1.00 and "
                              "2.00; 100 to 100 % hidden\"")));
  EXPECT_THAT(page, Not(HasSubstr("vague")));
  const Record empty;
  EXPECT_EQ(html_pairs(PageContext{empty, Variations(empty)}), "");
}

TEST(PairMatrix, EscapesWhatTheRecordCallsAKind) {
  Record record;
  record.cases = {pair("<a&\">", "<a&\">", 2, 1), pair("<a&\">", "b", 4, 1), pair("b", "b", 8)};
  const std::string page = html_pairs(PageContext{record, Variations(record)});
  EXPECT_EQ(testing::xml_error(page), "");
  EXPECT_THAT(page, HasSubstr(" vague\""));
  EXPECT_THAT(markdown_pairs(record), HasSubstr("| &lt;a&amp;\">"));
}

TEST(PairMatrix, IsATableInMarkdownToo) {
  const std::string text = markdown_pairs(pair_record());
  EXPECT_THAT(text, HasSubstr("| | alone | ffma | fmul | iadd3 | lds |"));
  EXPECT_THAT(text, HasSubstr("| iadd3 | 2.00 | 100 | 50 | | \xE2\x80\x93 |"));
  EXPECT_EQ(markdown_pairs(Record{}), "");
}

}  // namespace
}  // namespace warpclock
