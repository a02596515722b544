#include <gtest/gtest.h>

#include <algorithm>
#include <regex>
#include <string>
#include <vector>

#include "base/escape.hpp"
#include "base/files/embedded.hpp"
#include "base/testing/matchers.hpp"
#include "record/testing/golden.hpp"
#include "record/testing/instructions.hpp"
#include "record/testing/xml_check.hpp"
#include "report/html/html_page.hpp"
#include "report/html/table_page.hpp"
#include "report/html/testing/packed.hpp"
#include "report/instructions/instruction_cells.hpp"
#include "report/instructions/instruction_pages.hpp"

namespace warpclock {
namespace {

std::string body_of(const std::vector<InstructionTable>& tables) {
  return testing::without_assets(render_instruction_html(tables));
}

TEST(InstructionHtml, IsTheAcceptedPage) {
  const std::string page = body_of({testing::example_instructions()});
  // The policy holds hashes of the assets, which are separate files.
  testing::expect_golden("instructions.html",
                         std::regex_replace(page, std::regex("sha256-[A-Za-z0-9+/=]+"), "sha256-"));
}

TEST(InstructionHtml, IsWellFormedForNoneOneAndTwo) {
  for (const std::size_t count : {0u, 1u, 2u}) {
    const std::vector<InstructionTable> tables(count, testing::example_instructions());
    EXPECT_EQ(testing::xml_error(body_of(tables)), "");
    EXPECT_EQ(render_instruction_html(tables), render_instruction_html(tables));
  }
  EXPECT_EQ(testing::xml_error(body_of({InstructionTable{}})), "");
}

TEST(InstructionHtml, HasTheRecordInIt) {
  InstructionTable table = testing::example_instructions();
  table.rows.pop_back();  // not all of its characters are valid UTF-8
  const std::string page = body_of({table});
  EXPECT_EQ(must(read_instruction_table(testing::table_of(page))), rounded(table));
}

TEST(InstructionHtml, IsTheSameFromWhatWasReadBack) {
  InstructionTable table = testing::example_instructions();
  table.rows[0].estimates[0].value = 4.000000049;
  EXPECT_EQ(body_of({table}), body_of({*read_instruction_table(to_json(table))}));
}

TEST(InstructionHtml, LeadsToTheTextWithoutJavaScript) {
  EXPECT_THAT(body_of({testing::example_instructions()}), HasSubstr("<a href=\"instructions.md\">instructions.md</a>"));
  EXPECT_THAT(body_of({2, testing::example_instructions()}), HasSubstr("<a href=\"README.md\">README.md</a>"));
}

TEST(InstructionHtml, PaintsTheFirstScreenWithoutItsScript) {
  const std::string page = body_of({testing::many_instructions(300)});
  const std::string first = page.substr(page.find("id=\"rows\""), page.find("</main>") - page.find("id=\"rows\""));
  EXPECT_THAT(first, HasSubstr("<b>op0.mode0.f32</b> d, a, b, c"));
  EXPECT_THAT(first, HasSubstr("op31.mode5"));
  EXPECT_THAT(first, Not(HasSubstr("op32.mode6")));
}

TEST(InstructionHtml, LeadsToItsNeighbours) {
  const std::vector<InstructionTable> tables = {testing::example_instructions()};
  EXPECT_THAT(body_of(tables), Not(HasSubstr("<nav")));
  const std::string page = render_instruction_html(tables, {.links = {{"probes", "report.html", ""}}});
  EXPECT_THAT(page, HasSubstr("<a href=\"report.html\">probes</a>"));
}

TEST(InstructionHtml, CarriesItsAssetsAndAPolicyThatAllowsNothingElse) {
  const std::string page = render_instruction_html({});
  const auto assets = embedded_assets();
  const std::string style = assets.at("report.css") + assets.at("instructions.css");
  const std::string script = table_script("instruction");
  for (const std::string& asset : {style, assets.at("instruction_first.js"), script}) {
    EXPECT_THAT(page, AllOf(HasSubstr(">" + asset + "</"), HasSubstr(csp_hash(asset))));
    for (const char* never : {"</", "://", "@import", "url(", "innerHTML", "outerHTML", "insertAdjacentHTML", "eval("})
      EXPECT_THAT(asset, Not(HasSubstr(never)));
  }
  for (const char* never : {" style=\"", " onclick", " src=\"", "javascript:", "<link rel=\"stylesheet"})
    EXPECT_THAT(testing::without_assets(page), Not(HasSubstr(never)));
}

TEST(InstructionHtml, IsAsciiThroughout) {
  const std::string page = render_instruction_html(std::vector{testing::example_instructions()});
  EXPECT_TRUE(std::ranges::all_of(page, [](char c) { return static_cast<unsigned char>(c) < 0x80; }));
  for (const auto& [name, asset] : embedded_assets()) EXPECT_EQ(ascii_markup(asset), asset) << name;
}

TEST(InstructionHtml, EscapesEveryTextOfTheRecord) {
  for (const std::string poison :
       {"</script><script>alert(1)</script>", "<!--<script>", "\"><img src=x onerror=alert(1)>",
        "' onmouseover='alert(1)", "&lt;&", "</noscript>", "\x01\r\xff\xc0", "{0} %s"}) {
    InstructionTable table = testing::example_instructions();
    table.device.name = table.device.arch = table.provenance.commit = poison;
    for (InstructionRecord& row : table.rows) {
      row.id += poison, row.ptx = row.family = row.types = row.section = poison;
      row.reason = {poison, poison, poison};
      row.became = row.pipes = row.labels = row.findings = {poison};
      for (Estimate& e : row.estimates) e.name += poison, e.note = poison;
      for (InstructionRun& run : row.runs)
        run.measure = run.verdict = run.text = run.note = run.trick = poison, run.sass = {poison};
    }
    const std::string page = body_of({table});
    EXPECT_EQ(testing::xml_error(page), "") << poison;
    EXPECT_THAT(page, AllOf(Not(HasSubstr("<script>alert")), Not(HasSubstr("<img")), Not(HasSubstr("<!--"))));
  }
}

}  // namespace
}  // namespace warpclock
