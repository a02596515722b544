#include "report/html/html.hpp"

#include <gtest/gtest.h>

#include <regex>
#include <set>
#include <string>

#include "base/escape.hpp"
#include "base/files/embedded.hpp"
#include "base/json/json_text.hpp"
#include "base/testing/matchers.hpp"
#include "record/testing/golden.hpp"
#include "record/testing/record.hpp"
#include "record/testing/xml_check.hpp"
#include "report/html/html_page.hpp"
#include "report/html/html_parts.hpp"
#include "report/html/testing/packed.hpp"

namespace warpclock {
namespace {

std::string body_of(const Record& record) { return testing::without_assets(render_html(record)); }

/// The content of a row's fold when it is opened.
std::string fold_of(const std::string& page, const CaseRecord& row) {
  std::string markup = testing::evidence_of(testing::packed_data_of(page, "folds"), anchor(row.id));
  EXPECT_NE(markup, "") << row.id;
  return markup;
}

/// The rows of all probes.
std::string rows_of(const std::string& page) {
  std::string text;
  const Json tables = testing::packed_data_of(page, "tables");
  for (const auto& [id, markup] : tables.items()) text += "\n" + markup.get<std::string>();
  return text;
}

/// One row of the page, which is a whole tbody.
std::string row_of(const std::string& page, const CaseRecord& row) {
  const std::string rows = rows_of(page);
  const std::size_t from = rows.find("<tbody class=\"case\" id=\"" + escape(anchor(row.id)) + "\"");
  EXPECT_NE(from, std::string::npos) << row.id;
  return from == std::string::npos ? "" : rows.substr(from, rows.find("</tbody>\n", from) - from);
}

TEST(Html, IsTheAcceptedPage) {
  Record record = testing::example_record();
  // One row of each kind suffices to detect a change.
  std::set<std::pair<std::string, Outcome>> seen;
  std::erase_if(record.cases, [&](const CaseRecord& row) { return !seen.emplace(row.probe, row.outcome).second; });
  const std::string page = testing::unfolded(body_of(record));
  // The policy holds hashes of the assets, which are separate files.
  testing::expect_golden("report.html", std::regex_replace(page, std::regex("sha256-[A-Za-z0-9+/=]+"), "sha256-"));
}

TEST(Html, IsWellFormedAndTheSameEveryTime) {
  const Record record = testing::example_record();
  EXPECT_EQ(testing::xml_error(body_of(record)), "");
  EXPECT_EQ(testing::xml_error(testing::unfolded(body_of(record))), "");
  EXPECT_EQ(render_html(record), render_html(record));
  EXPECT_EQ(testing::xml_error(body_of(Record{})), "");
}

TEST(Html, ShowsEveryCaseWithItsWindowAndEveryReason) {
  const Record record = testing::example_record();
  const std::string page = body_of(record);
  for (const CaseRecord& row : record.cases) {
    const std::string text = row_of(page, row), fold = fold_of(page, row);
    EXPECT_THAT(text, HasSubstr("<details><summary>"));
    for (const auto& [opcode, count] : row.window.opcodes) EXPECT_THAT(fold, HasSubstr(escape(opcode) + "<i>\xC3\x97"));
    const bool same = fold.find("The same machine code as <a ") != std::string::npos;
    const bool shown = fold.find("SASS between the clock reads") != std::string::npos;
    EXPECT_EQ(same || shown, !row.window.sass.empty());
    if (row.outcome == Outcome::Measured) continue;
    EXPECT_THAT(text, AllOf(HasSubstr(escape(row.reason.code)), HasSubstr(escape(row.reason.text)),
                            Not(HasSubstr("class=\"n v\""))));
    EXPECT_THAT(fold, HasSubstr(escape(row.reason.text)));
    EXPECT_THAT(page.substr(page.find("id=\"unpublished\"")), HasSubstr(escape(row.id)));
  }
}

TEST(Html, MarksTheTargetAndSetsTheSchedulingApart) {
  Record record = testing::example_record();
  CaseRecord& row = record.cases[1];
  row.window.opcodes = {{"CS2R", 2}, {"IADD3", 1}, {"SHFL.IDX", 16}};
  row.window.sass = {"B------:R-:W-:-:S05  CS2R R2, SR_CLOCKLO",
                     "B0-----:R-:W0:Y:S01  @!P0 SHFL.IDX PT, R4, R4, R5, 0x1f", "IADD3 R1, R1, R2, RZ"};
  EXPECT_THAT(fold_of(body_of(record), row),
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
  EXPECT_THAT(fold_of(page, record.cases[0]),
              AllOf(HasSubstr("3 instructions"),
                    HasSubstr("<pre class=\"control\">B------:R-:W-:-:S04\n</pre><pre>A<em> \xC3\x97"
                              "3</em>\n</pre>"),
                    HasSubstr("<em>\xC3\x97"
                              "2 these 2 lines</em>\na;\nb;<em>")));
  EXPECT_THAT(fold_of(page, record.cases[1]),
              AllOf(HasSubstr("The same machine code as " + case_link(record.cases[0])), Not(HasSubstr("<pre class"))));
}

TEST(Html, LeavesTheMiddleOfLongPtxToTheRecord) {
  Record record = testing::example_record();
  CaseRecord& row = record.cases[0];
  row.ptx.clear();
  for (int i = 0; i < 100; ++i) row.ptx += "line" + std::to_string(i) + ";\n";
  const std::string text = fold_of(body_of(record), row);
  EXPECT_THAT(text, AllOf(HasSubstr("line15;\n// ... 68 more lines are in result.json.gz ...\nline84;"),
                          Not(HasSubstr("line16;")), Not(HasSubstr("line83;")), HasSubstr("line99;")));
}

/// A load over a footprint, through two caches, with the features of its curves.
Record curve_record() {
  Record record = testing::example_record();
  record.cases.clear();
  const ProbeRecord probe{
      "memory/chase", "memory", "How long does a load take?", {"footprint", "latency", "path", true}, "footprint"};
  record.probes = {probe};
  for (const std::string path : {"ca", "cg"}) {
    for (std::int64_t footprint = 1024; footprint <= (1 << 20); footprint *= 2) {
      CaseRecord one =
          testing::example_case("memory/chase", {{"path", path}, {"footprint", footprint}}, "LDG.E." + path);
      one.measures = {{"latency", Method::Slope, "cycles", 1, "", ""}};
      one.samples = testing::line_samples(path == "cg" || footprint > 65536 ? 270 : 34, 40, {16, 64, 128});
      one.premise_rules = {{"the chase went around", "late", Relation::Equal, 0}};
      one.facts = {{"late", footprint == 2048 ? 7.0 : 0.0}};
      record.cases.push_back(reanalyze(std::move(one)));
    }
  }
  const auto feature = [&](const char* path, const char* name, double value, double low, double high) {
    Feature f;
    f.probe = probe.name, f.parameters = {{"path", std::string(path)}}, f.name = name;
    f.value = value, f.low = low, f.high = high;
    return f;
  };
  record.features = {
      feature("ca", "latency.1", 34, 34, 34),         feature("ca", "footprint.1", 92681, 65536, 131072),
      feature("ca", "latency.2", 270, 270, 270),      feature("cg", "latency.1", 270, 270, 270),
      feature("cg", "latency.class1", 123, 123, 123), feature("cg", "footprint.period", 4096, 4096, 4096)};
  record.features[0].unit = record.features[2].unit = record.features[3].unit = "cycles";
  record.features[0].from = record.features[3].from = 1024, record.features[0].to = 65536;
  record.features[2].from = 131072, record.features[2].to = record.features[3].to = 1 << 20;
  return record;
}

TEST(Html, ShowsACurveAsOneTableWithItsMachineCodeOnce) {
  const Record record = curve_record();
  const std::string whole = body_of(record), page = rows_of(whole);
  EXPECT_EQ(testing::xml_error(whole), "");
  EXPECT_TRUE(testing::packed_data_of(whole, "folds").is_null());
  EXPECT_THAT(whole, HasSubstr("class=\"chart\""));
  const std::size_t found = page.find("class=\"found\""), table = page.find("class=\"cases points\""),
                    code = page.find("<details class=\"kernel\">");
  EXPECT_LT(found, table);
  EXPECT_LT(table, code);
  EXPECT_THAT(page.substr(found, table - found), HasSubstr("<td>90.5 KiB (92681)</td>"));
  std::size_t rows = 0;
  for (const CaseRecord& row : record.cases) {
    const std::size_t at = page.find("<tr id=\"" + escape(anchor(row.id)) + "\"", table);
    ASSERT_NE(at, std::string::npos) << row.id;
    const std::string text = page.substr(at, page.find("</tr>", at) - at);
    if (row.outcome == Outcome::Measured) {
      EXPECT_THAT(text, HasSubstr(row.id.find("ca") != std::string::npos &&
                                          std::get<std::int64_t>(row.parameters[1].second) <= 65536
                                      ? "<td>34.00</td>"
                                      : "<td>270.00</td>"));
      ++rows;
    } else {
      EXPECT_THAT(text, AllOf(HasSubstr("data-o=\"rejected\""), HasSubstr("late should be 0, was 7")));
    }
  }
  EXPECT_EQ(rows + 2, record.cases.size());
  const std::string below = page.substr(code);
  EXPECT_THAT(
      below,
      AllOf(HasSubstr("Machine code of 11 cases: path=ca<"), HasSubstr("Machine code of 11 cases: path=cg<"),
            HasSubstr("the chase went around <i>held in 10 of 11 cases"), HasSubstr("SASS between the clock reads"),
            HasSubstr("PTX it came from"), HasSubstr("The samples of each case are in <b>result.json.gz</b>")));
  EXPECT_EQ(below.find("<b>LDG.E.cg</b>"), below.rfind("<b>LDG.E.cg</b>"));
}

TEST(Html, MarksWhatWasFoundInTheChartOfACurve) {
  const std::string page = body_of(curve_record());
  const std::size_t from = page.find("<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"chart\"");
  const std::string svg = page.substr(from, page.find("</svg>", from) + 7 - from);
  testing::expect_golden("curve_chart.svg", svg);
  EXPECT_THAT(svg, AllOf(HasSubstr(">34</text>"), HasSubstr(">270</text>"), HasSubstr(">90.5Ki</text>"),
                         HasSubstr("<rect class=\"bd s0\""), HasSubstr("class=\"lv s1\""), HasSubstr("class=\"dt s1\""),
                         Not(HasSubstr(">123<")), Not(HasSubstr("class=\"bd s1\""))));
}

TEST(Html, LinksToInstructionsThatAreThere) {
  const Record record = testing::example_record();
  EXPECT_THAT(render_html(record), Not(HasSubstr("instructions.html")));
  EXPECT_THAT(
      render_html(record, {.suite = "memory", .links = {{"instructions", "instructions.html", "the same GPU"}}}),
      HasSubstr("<a href=\"instructions.html\">instructions</a>"));
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
  const std::string page = testing::unfolded(body_of(testing::example_record()));
  std::set<std::string> ids;
  const std::regex id(" id=\"([^\"]*)\""), href(" href=\"([^\"]*)\"");
  for (std::sregex_iterator at(page.begin(), page.end(), id), end; at != end; ++at) {
    EXPECT_TRUE(ids.insert((*at)[1]).second) << "twice: " << (*at)[1];
  }
  for (std::sregex_iterator at(page.begin(), page.end(), href), end; at != end; ++at) {
    const std::string target = (*at)[1];
    if (target.starts_with("data:") || target == "#") continue;
    ASSERT_TRUE(target.starts_with('#')) << target;
    EXPECT_TRUE(ids.contains(target.substr(1))) << target;
  }
}

TEST(Html, CarriesItsAssetsAndAPolicyThatAllowsNothingElse) {
  const std::string page = render_html(testing::example_record());
  const auto assets = embedded_assets();
  for (const std::string& asset : {assets.at("report.css") + assets.at("memory.css"),
                                   assets.at("search.js") + assets.at("parts.js") + assets.at("report.js")}) {
    EXPECT_THAT(page, AllOf(HasSubstr(">" + asset + "</"), HasSubstr(csp_hash(asset))));
    EXPECT_THAT(asset,
                AllOf(Not(HasSubstr("</")), Not(HasSubstr("://")), Not(HasSubstr("@import")), Not(HasSubstr("url("))));
  }
  EXPECT_THAT(page, HasSubstr("content=\"default-src &#39;none&#39;"));
  const std::string body = testing::without_assets(page);
  for (const char* never : {" style=\"", " onclick", " src=\"", "javascript:", "<link rel=\"stylesheet"})
    EXPECT_THAT(body, Not(HasSubstr(never)));
}

/// A record in which every text is replaced by one that breaks out of any place where it is not escaped.
Record hostile_record(const std::string& poison) {
  Record record = testing::example_record();
  for (std::string* text :
       {&record.device.name, &record.device.arch, &record.device.chip, &record.device.ecc, &record.provenance.commit,
        &record.provenance.version, &record.provenance.toolkit, &record.provenance.nvrtc, &record.provenance.nvdisasm,
        &record.provenance.driver, &record.provenance.date, &record.provenance.counters}) {
    *text = poison;
  }
  record.provenance.argv = {poison, poison};
  record.provenance.resumed = {1, poison};
  record.device.peers = {poison, poison};
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
    Record curves = hostile_record(poison);
    for (ProbeRecord& probe : curves.probes) probe.along = probe.chart.x;
    for (const std::string& page :
         {testing::unfolded(body_of(hostile_record(poison))), testing::unfolded(body_of(curves))}) {
      EXPECT_EQ(testing::xml_error(page), "") << poison;
      EXPECT_THAT(page,
                  AllOf(Not(HasSubstr("<script>alert")), Not(HasSubstr("<img")), Not(HasSubstr("' onmouseover"))));
    }
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
  EXPECT_LT(render_html(record).size(), 500u << 10);
}

}  // namespace
}  // namespace warpclock
