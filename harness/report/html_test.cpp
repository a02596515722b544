#include "report/html.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <regex>
#include <set>
#include <string>

#include "base/embedded.hpp"
#include "report/escape.hpp"
#include "report/html_parts.hpp"
#include "report/sha256.hpp"
#include "report/test_golden.hpp"
#include "report/test_record.hpp"
#include "report/xml_check.hpp"

namespace warpclock {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

std::string body_of(const Record& record) { return testing::without_assets(render_html(record)); }

/// One row of the page, from its tbody to the end of it.
std::string row_of(const std::string& page, const CaseRecord& row) {
  const std::size_t from = page.find("<tbody class=\"case\" id=\"" + escape(anchor(row.id)) + "\"");
  EXPECT_NE(from, std::string::npos) << row.id;
  return from == std::string::npos ? "" : page.substr(from, page.find("</tbody>\n", from) - from);
}

TEST(Html, IsTheAcceptedPage) {
  Record record = testing::example_record();
  // One of each kind of row is enough to see a change by.
  std::set<std::pair<std::string, Outcome>> seen;
  std::erase_if(record.cases, [&](const CaseRecord& row) { return !seen.emplace(row.probe, row.outcome).second; });
  const std::string page = body_of(record);
  // The policy holds hashes of the assets, which are files of their own.
  testing::expect_golden("report.html", std::regex_replace(page, std::regex("sha256-[A-Za-z0-9+/=]+"), "sha256-"));
}

TEST(Html, IsWellFormedAndTheSameEveryTime) {
  const Record record = testing::example_record();
  EXPECT_EQ(testing::xml_error(body_of(record)), "");
  EXPECT_EQ(render_html(record), render_html(record));
  EXPECT_EQ(testing::xml_error(body_of(Record{})), "");
}

TEST(Html, ShowsEveryCaseWithItsWindowAndEveryReason) {
  const Record record = testing::example_record();
  const std::string page = body_of(record);
  for (const CaseRecord& row : record.cases) {
    const std::string text = row_of(page, row);
    EXPECT_THAT(text, HasSubstr("<details><summary>"));
    for (const auto& [opcode, count] : row.window.opcodes) EXPECT_THAT(text, HasSubstr(escape(opcode) + "<i>\xC3\x97"));
    const bool shown = text.find("SASS between the clock reads") != std::string::npos ||
                       text.find("The same machine code as <a ") != std::string::npos;
    EXPECT_EQ(shown, !row.window.sass.empty());
    if (row.outcome == Outcome::Measured) continue;
    EXPECT_THAT(text, AllOf(HasSubstr(escape(row.reason.code)), HasSubstr(escape(row.reason.text)),
                            Not(HasSubstr("class=\"n v\""))));
    EXPECT_THAT(page.substr(page.find("id=\"unpublished\"")), HasSubstr(escape(row.id)));
  }
}

TEST(Html, MarksTheTargetAndSetsTheSchedulingApart) {
  Record record = testing::example_record();
  CaseRecord& row = record.cases[1];
  row.window.opcodes = {{"CS2R", 2}, {"IADD3", 1}, {"SHFL.IDX", 16}};
  row.window.sass = {"B------:R-:W-:-:S05  CS2R R2, SR_CLOCKLO",
                     "B0-----:R-:W0:Y:S01  @!P0 SHFL.IDX PT, R4, R4, R5, 0x1f", "IADD3 R1, R1, R2, RZ"};
  EXPECT_THAT(row_of(body_of(record), row),
              AllOf(HasSubstr("<pre class=\"control\">B------:R-:W-:-:S05\nB0-----:R-:W0:Y:S01\n\n</pre>"),
                    HasSubstr("<pre><i>CS2R</i> R2, SR_CLOCKLO\n@!P0 <b>SHFL.IDX</b> PT, R4, R4, R5, 0x1f\nIADD3 R1")));
}

TEST(Html, ShowsCommonCodeOnceAndRepeatedLinesByTheirNumber) {
  Record record = testing::example_record();
  record.cases.resize(2);
  for (CaseRecord& row : record.cases) {
    row.window.sass = {"B------:R-:W-:-:S04  A", "B------:R-:W-:-:S04  A", "B------:R-:W-:-:S04  A"};
    row.ptx = "a;\nb;\na;\nb;\n";
  }
  const std::string page = body_of(record);
  EXPECT_THAT(row_of(page, record.cases[0]),
              AllOf(HasSubstr("3 instructions"),
                    HasSubstr("<pre class=\"control\">B------:R-:W-:-:S04\n</pre><pre>A<em> \xC3\x97"
                              "3</em>\n</pre>"),
                    HasSubstr("<em>\xC3\x97"
                              "2 these 2 lines</em>\na;\nb;<em>")));
  EXPECT_THAT(row_of(page, record.cases[1]),
              AllOf(HasSubstr("The same machine code as " + case_link(record.cases[0])), Not(HasSubstr("<pre class"))));
}

TEST(Html, LeavesTheMiddleOfLongPtxToTheRecord) {
  Record record = testing::example_record();
  CaseRecord& row = record.cases[0];
  row.ptx.clear();
  for (int i = 0; i < 100; ++i) row.ptx += "line" + std::to_string(i) + ";\n";
  const std::string text = row_of(body_of(record), row);
  EXPECT_THAT(text, AllOf(HasSubstr("line15;\n// ... 68 more lines are in result.json ...\nline84;"),
                          Not(HasSubstr("line16;")), Not(HasSubstr("line83;")), HasSubstr("line99;")));
}

TEST(Html, LinksToInstructionsThatAreThere) {
  const Record record = testing::example_record();
  EXPECT_THAT(render_html(record), Not(HasSubstr("instructions.html")));
  EXPECT_THAT(render_html(record, true), HasSubstr("<a href=\"instructions.html\">"));
}

TEST(Html, LabelsWhatIsEmulatedInItsRow) {
  const Record record = testing::example_record();
  const std::string page = body_of(record);
  int labelled = 0;
  for (const CaseRecord& row : record.cases) {
    const bool shown = row_of(page, row).find("<span class=\"tag\">emulated</span>") != std::string::npos;
    EXPECT_EQ(shown, row.window.label.starts_with("emulated:")) << row.id;
    labelled += shown;
  }
  EXPECT_GT(labelled, 0);
}

TEST(Html, NamesDisagreementsThrottlingAndUnknownPremises) {
  Record record = testing::example_record();
  record.cases[0].premises = {{"the array is in L2", false, false, 0, "no permission for counters"}};
  const std::string page = body_of(record);
  const std::size_t from = page.find("id=\"findings\"");
  const std::string findings = page.substr(from, page.find("</section>", from) - from);
  EXPECT_THAT(findings, AllOf(HasSubstr("matrix/mma[type=tf32]</a> latency measured 26.00 cycles"),
                              HasSubstr("sw_power_cap"), HasSubstr("the array is in L2: no permission for counters")));
  EXPECT_THAT(findings, Not(HasSubstr("type=bf16")));
}

TEST(Html, LinksLeadSomewhereAndIdsAreUnique) {
  const std::string page = body_of(testing::example_record());
  std::set<std::string> ids;
  const std::regex id(" id=\"([^\"]*)\""), href(" href=\"([^\"]*)\"");
  for (std::sregex_iterator at(page.begin(), page.end(), id), end; at != end; ++at) {
    EXPECT_TRUE(ids.insert((*at)[1]).second) << "twice: " << (*at)[1];
  }
  for (std::sregex_iterator at(page.begin(), page.end(), href), end; at != end; ++at) {
    const std::string target = (*at)[1];
    if (target.starts_with("data:")) continue;
    ASSERT_TRUE(target.starts_with('#')) << target;
    EXPECT_TRUE(ids.contains(target.substr(1))) << target;
  }
}

TEST(Html, CarriesItsAssetsAndAPolicyThatAllowsNothingElse) {
  const std::string page = render_html(testing::example_record());
  const auto assets = embedded_assets();
  for (const char* name : {"report.css", "report.js"}) {
    ASSERT_TRUE(assets.contains(name));
    EXPECT_THAT(page, AllOf(HasSubstr(">" + assets.at(name) + "</"), HasSubstr(csp_hash(assets.at(name)))));
    EXPECT_THAT(assets.at(name),
                AllOf(Not(HasSubstr("</")), Not(HasSubstr("://")), Not(HasSubstr("@import")), Not(HasSubstr("url("))));
  }
  EXPECT_THAT(page, HasSubstr("content=\"default-src &#39;none&#39;"));
  const std::string body = testing::without_assets(page);
  for (const char* never : {" style=\"", " onclick", " src=\"", "javascript:", "<link rel=\"stylesheet"})
    EXPECT_THAT(body, Not(HasSubstr(never)));
}

/// Every text of a record, replaced by one that breaks out of wherever it is not escaped.
Record hostile(const std::string& poison) {
  Record record = testing::example_record();
  for (std::string* text :
       {&record.device.name, &record.device.arch, &record.device.chip, &record.device.ecc, &record.provenance.commit,
        &record.provenance.version, &record.provenance.toolkit, &record.provenance.nvrtc, &record.provenance.nvdisasm,
        &record.provenance.driver, &record.provenance.date, &record.provenance.counters}) {
    *text = poison;
  }
  record.provenance.argv = {poison, poison};
  for (ProbeRecord& probe : record.probes) {
    probe.name += poison, probe.family += poison, probe.asks = poison;
    probe.chart.x += probe.chart.x.empty() ? "" : poison, probe.chart.y += probe.chart.y.empty() ? "" : poison;
    probe.chart.series += probe.chart.series.empty() ? "" : poison;
  }
  for (MetricRecord& metric : record.metrics) metric = {poison, poison, poison};
  for (CaseRecord& row : record.cases) {
    row.id += poison, row.probe += poison, row.family += poison, row.arch = poison;
    for (auto& [name, value] : row.parameters) {
      name += poison;
      if (auto* word = std::get_if<std::string>(&value)) *word += poison;
    }
    row.reason = {poison, poison, poison};
    row.window.verdict = row.window.sass_hash = row.window.label = row.ptx = row.counters_missing = poison;
    for (auto& [opcode, count] : row.window.opcodes) opcode += poison;
    for (std::string& line : row.window.sass) line += poison;
    for (Measure& measure : row.measures) measure.name = measure.note = measure.unit = poison;
    for (Estimate& e : row.estimates) e.name += poison, e.unit = e.note = poison;
    for (Premise& p : row.premises) p.text = p.why_unknown = poison;
    row.facts[poison] = row.counters[poison] = 1;
    row.clock.throttle = {poison};
  }
  return record;
}

TEST(Html, EscapesEveryTextOfTheRecord) {
  for (const std::string poison :
       {"<script>alert(1)</script>", "\"><img src=x onerror=alert(1)>", "' onmouseover='alert(1)", "&lt;&", "]]>-->",
        "</pre></table></style>", "\x01\x1b[31m\r\xff\xc0", "{0} {} %s", "a b\tc\nd"}) {
    const std::string page = body_of(hostile(poison));
    EXPECT_EQ(testing::xml_error(page), "") << poison;
    EXPECT_THAT(page, AllOf(Not(HasSubstr("<script>alert")), Not(HasSubstr("<img")), Not(HasSubstr("' onmouseover"))));
  }
}

TEST(Html, StaysSmall) {
  Record record = testing::example_record();
  CaseRecord row = record.cases[1];
  row.window.sass.assign(60, "B0----5:R-:W2:Y:S04  SHFL.IDX PT, R4, R4, R5, 0x1f");
  row.ptx.clear();
  for (int i = 0; i < 60; ++i) row.ptx += "shfl.sync.idx.b32 %r41|%p1, %r40, %r12, 31, -1;\n";
  record.cases.clear();
  for (int i = 0; i < 400; ++i) record.cases.push_back(row), record.cases.back().id += std::to_string(i);
  EXPECT_LT(render_html(record).size(), 5u << 20);
}

}  // namespace
}  // namespace warpclock
