#include <gtest/gtest.h>

#include <algorithm>
#include <regex>
#include <string>

#include "base/files/embedded.hpp"
#include "base/testing/matchers.hpp"
#include "base/text.hpp"
#include "record/json/record_json.hpp"
#include "record/overlap.hpp"
#include "record/testing/golden.hpp"
#include "record/testing/machine.hpp"
#include "record/testing/xml_check.hpp"
#include "report/html/html_page.hpp"
#include "report/html/table_page.hpp"
#include "report/html/testing/packed.hpp"
#include "report/instructions/machine_pages.hpp"
#include "report/instructions/machine_parts.hpp"

namespace warpclock {
namespace {

std::string machine_body(const MachineTable& table) { return testing::without_assets(render_machine_html(table)); }

TEST(MachineCells, SayWhatARowHas) {
  const MachineTable table = testing::example_machine();
  const MachineRow &ffma = table.rows[0], &hmma = table.rows[1], &mufu = table.rows[2], &isetp = table.rows[3];
  EXPECT_EQ(machine_latencies(ffma), "A 4 \xC2\xB7 B 4 \xC2\xB7 C 4");
  EXPECT_EQ(machine_latencies(mufu), "A 23");
  EXPECT_EQ(machine_latencies(isetp), "A 9.2");
  EXPECT_THAT(machine_findings(isetp), ElementsAre("A: 9.2 cycles by timing, minimum stall count 8"));
  EXPECT_THAT(machine_findings(ffma), IsEmpty());
  EXPECT_THAT(machine_findings(hmma),
              ElementsAre("C: among other warps of its sub-partition the minimum stall count is 13",
                          "ptxas encodes at least 24 cycles; the largest minimum stall count is 11"));
  EXPECT_EQ(least_stalls(ffma), "4");
  EXPECT_EQ(least_stalls(mufu), "by scoreboard");
  MachineRow uneven = ffma;
  uneven.latencies[1].least_right = 5;
  EXPECT_EQ(least_stalls(uneven), "A 4 \xC2\xB7 B 5 \xC2\xB7 C 4");
  EXPECT_EQ(issue_interval_text(ffma), "2");
  EXPECT_EQ(one_warp_text(ffma), "2.05");
  EXPECT_EQ(one_warp_text(hmma), "");
  EXPECT_TRUE(has_surface(hmma));
  EXPECT_FALSE(has_surface(ffma));
}

const RelationGrid& grid_of(const std::vector<RelationGrid>& grids, std::string_view title) {
  const auto at = std::ranges::find(grids, title, &RelationGrid::title);
  EXPECT_NE(at, grids.end()) << title;
  return *at;
}

TEST(MachineRelations, AreGridsOfWhatWasMeasured) {
  const auto grids = relation_grids(testing::example_machine());
  ASSERT_EQ(grids.size(), 6);
  const RelationGrid& ways = grid_of(grids, "Producer to consumer");
  EXPECT_THAT(ways.columns, ElementsAre("LDS", "FFMA", "FFMA C"));
  EXPECT_EQ(ways.rows[0].name, "FFMA");
  EXPECT_EQ(ways.rows[0].cells[0].text, "5 (6)");
  EXPECT_EQ(ways.rows[1].cells[1].text, "23");
  EXPECT_EQ(ways.rows[1].cells[2].text, "");
  EXPECT_THAT(ways.rows[1].cells[2].title, HasSubstr("a stale read does not show"));
  const RelationGrid& banks = grid_of(grids, "Register banks and reuse");
  EXPECT_EQ(banks.rows[1].name, "FFMA, reuse A");
  EXPECT_EQ(banks.rows[0].cells[0].text, "3");
  EXPECT_GT(banks.rows[0].cells[0].shade, banks.rows[1].cells[0].shade);
  EXPECT_THAT(relation_grids(MachineTable{}), IsEmpty());
}

TEST(MachineRelations, SayWhichShareOfAnInstructionIsHidden) {
  const MachineTable table = testing::example_machine();
  // Alone 1 and 4 cycles; both together 4.25, and 4.5 in runs.
  EXPECT_DOUBLE_EQ(hidden_share(table, table.pairs[1]).value(), 0.75);
  EXPECT_DOUBLE_EQ(hidden_share(table, table.pairs[2]).value(), 0.5);
  const auto grids = relation_grids(table);
  const RelationGrid& pairs = grid_of(grids, "Two instructions together");
  EXPECT_EQ(pairs.rows[0].cells[0].text, "1");
  EXPECT_EQ(pairs.rows[0].cells[1].text, "75 (50)");
  EXPECT_EQ(pairs.rows[1].cells[0].text, "75 (50)") << "it is the same both ways";
  MachineTable alone = table;
  alone.pairs.erase(alone.pairs.begin());
  EXPECT_FALSE(hidden_share(alone, alone.pairs[0]));
}

TEST(MachineRelations, SayWhatIsHiddenBehindAMultiplyOfAWarpGroup) {
  MachineTable table = testing::example_machine();
  const IssueStudy& study = table.with_multiplies[0];
  for (const auto& [form, cycles] : {std::pair{study.forms[0], 32.0}, std::pair{study.forms[1], 2.0}}) {
    const auto known = std::ranges::find(table.rows, form, &MachineRow::key);
    MachineRow& row = known != table.rows.end() ? *known : table.rows.emplace_back();
    row.key = form;
    row.interval = Estimate{.name = "interval", .value = cycles};
  }
  // 32 cycles and 16 times 2 cycles take 40 together.
  const auto grids = relation_grids(table);
  const RelationGrid& grid = grid_of(grids, "Instructions together with wgmma");
  EXPECT_EQ(grid.columns[0], "HGMMA.64x64x16.F32 R#, gdesc[UR#+#], R#");
  EXPECT_EQ(grid.rows[0].name, "FFMA");
  EXPECT_EQ(grid.rows[0].cells[0].text, "75");
}

TEST(MachineRelations, SayWhatIsHiddenInOtherWarps) {
  MachineTable table = testing::example_machine();
  const IssueStudy& study = table.between_warps[0];
  for (const auto& [form, cycles] : {std::pair{study.forms[0], 1.0}, std::pair{study.forms[1], 4.0}}) {
    const auto known = std::ranges::find(table.rows, form, &MachineRow::key);
    MachineRow& row = known != table.rows.end() ? *known : table.rows.emplace_back();
    row.key = form;
    row.interval = Estimate{.name = "interval", .value = cycles};
  }
  // Four times 1 cycle and 4 cycles take 6 together.
  const auto grids = relation_grids(table);
  const RelationGrid& grid = grid_of(grids, "Two instructions in different warps");
  EXPECT_EQ(grid.rows[0].name, "LDS");
  EXPECT_EQ(grid.columns[0], "FFMA");
  EXPECT_EQ(grid.rows[0].cells[0].text, "50");
  EXPECT_EQ(grid.rows[1].cells[1].text, "50") << "it is the same both ways";
}

TEST(MachineRelations, FindWhereLongCodeBecomesSlower) {
  const MachineTable table = testing::example_machine();
  const auto bend = must(fetch_bend(table.fetch[0].cells[0]));
  EXPECT_EQ(bend.last_straight, 256);
  EXPECT_EQ(bend.first_slow, 512);
  EXPECT_DOUBLE_EQ(bend.before, 1);
  EXPECT_DOUBLE_EQ(bend.after, 3);
  const auto grids = relation_grids(table);
  const RelationGrid& fetch = grid_of(grids, "Instruction fetch");
  EXPECT_EQ(fetch.rows[0].cells[0].text, "256: 1 \xE2\x86\x92 3");
  EXPECT_EQ(fetch.rows[0].cells[1].text, "1") << "no bend";
  EXPECT_FALSE(fetch_bend(IssueCell{}));
}

TEST(MachineCells, ARowWithNoNumberSaysWhy) {
  MachineRow row;
  EXPECT_FALSE(has_numbers(row));
  row.latencies.resize(2);
  row.latencies[0].note = row.latencies[1].note = "no return path";
  row.cells.resize(1);
  row.cells[0].note = "no line";
  EXPECT_EQ(why_none(row).code, "no-number");
  EXPECT_EQ(why_none(row).text, "no return path; no line");
  row.reason = Error{"compose", "why", "there"};
  EXPECT_EQ(why_none(row), *row.reason);
  row.latencies[1].least_right = 4;
  EXPECT_TRUE(has_numbers(row));
}

TEST(MachineCells, CountsRowsByReason) {
  MachineTable table = testing::example_machine();
  table.rows.push_back(table.rows[4]);
  const MachineCounts all = count_rows(table);
  EXPECT_EQ(all.rows, 7u);
  EXPECT_EQ(all.measured, 4u);
  EXPECT_EQ(all.intervals, 4u);
  EXPECT_EQ(all.complete, 3u);
  const std::vector<std::pair<std::string, std::size_t>> without = {{"control-flow", 2}, {"<b>", 1}};
  EXPECT_EQ(all.without, without);
}

TEST(MachineMarkdown, IsTheAcceptedText) {
  testing::expect_golden("machine.md", render_machine_markdown(testing::example_machine()));
}

TEST(MachineMarkdown, OfAnEmptyTableHasNoTables) {
  const std::string text = render_machine_markdown({});
  EXPECT_THAT(text, HasSubstr("0 forms: 0 measured, 0 without."));
  EXPECT_THAT(text, Not(HasSubstr("|")));
}

TEST(MachineMarkdown, NoTextOfTheRecordBreaksALine) {
  MachineTable table = testing::example_machine();
  const std::size_t before = lines(render_machine_markdown(table)).size();
  for (const std::string poison : {"a\nb", "| x |", "`", "``\r\n#", "<b>"}) {
    for (MachineRow& row : table.rows) {
      row.text = poison;
      if (row.reason) row.reason = Error{poison, poison, poison};
    }
    EXPECT_EQ(lines(render_machine_markdown(table)).size(), before) << poison;
  }
}

TEST(MachineHtml, IsTheAcceptedPage) {
  testing::expect_golden("machine.html", std::regex_replace(testing::unfolded(machine_body(testing::example_machine())),
                                                            std::regex("sha256-[A-Za-z0-9+/=]+"), "sha256-"));
}

TEST(MachineHtml, IsWellFormedAndAscii) {
  for (const MachineTable& table : {MachineTable{}, testing::example_machine(), testing::many_machine(40)}) {
    const std::string page = render_machine_html(table);
    EXPECT_EQ(testing::xml_error(testing::without_assets(page)), "");
    EXPECT_EQ(page, render_machine_html(table));
    EXPECT_TRUE(std::ranges::all_of(page, [](char c) { return static_cast<unsigned char>(c) < 0x80; }));
  }
}

TEST(MachineHtml, HasTheRecordInItAndIsTheSameFromWhatWasReadBack) {
  MachineTable table = testing::without_relations(testing::example_machine());
  table.rows[0].interval->value = 2.000000049;
  const std::string page = machine_body(table);
  EXPECT_EQ(machine_body(must(read_machine_table(testing::table_of(page)))), page);
}

TEST(MachineHtml, LeadsToTheTextWithoutJavaScript) {
  EXPECT_THAT(machine_body(testing::example_machine()), HasSubstr("<a href=\"machine.md\">machine.md</a>"));
}

TEST(MachineHtml, PaintsTheFirstScreenWithoutItsScript) {
  const std::string page = machine_body(testing::many_machine(300));
  const std::string first = page.substr(page.find("id=\"rows\""), page.find("</main>") - page.find("id=\"rows\""));
  EXPECT_THAT(first, AllOf(HasSubstr("<b>FFMA.M0</b> R4, R8, R12, R16"), HasSubstr(".M31<"), Not(HasSubstr(".M32<"))));
}

TEST(MachineHtml, HasAHeatMapWhereRowsHaveASurfaceAndElseNone) {
  MachineTable table = testing::example_machine();
  Parts parts;
  EXPECT_THAT(html_surfaces(table, parts), HasSubstr("1 instruction measured over stall counts"));
  const auto map = parts.at("part-0").get<std::string>();
  EXPECT_THAT(map, HasSubstr("<td class=\"o0\" title=\"4 warps, stall count 1: 8.25 cycles\">8.25</td>"));
  EXPECT_THAT(map, HasSubstr("8 warps, stall count 1, yield hint: 8.5 cycles"));
  EXPECT_THAT(map, HasSubstr("href=\"#i=%40PT%20HMMA.16816.F32%20%23%2C%20%23%2C%20%23%2C%20%23\""));
  table.rows.erase(table.rows.begin() + 1);
  EXPECT_EQ(html_surfaces(table, parts), "");
  EXPECT_THAT(machine_body(testing::without_relations(table)), Not(HasSubstr("<details")));
}

TEST(MachineHtml, ShadesUpToTwiceTheLeast) {
  EXPECT_EQ(heat_shade(8, 8), 0);
  EXPECT_EQ(heat_shade(12, 8), 3);
  EXPECT_EQ(heat_shade(16, 8), 5);
  EXPECT_EQ(heat_shade(1e300, 8), 5);
  EXPECT_EQ(heat_shade(8, 0), 0);
}

TEST(MachineHtml, LeadsToItsNeighbours) {
  EXPECT_THAT(machine_body(testing::example_machine()), Not(HasSubstr("<nav")));
  EXPECT_THAT(render_machine_html({}, {.links = {{"instructions", "instructions.html", ""}}}),
              HasSubstr("<a href=\"instructions.html\">instructions</a>"));
}

TEST(MachineHtml, CarriesItsAssetsAndAPolicyThatAllowsNothingElse) {
  const std::string page = render_machine_html({});
  const auto assets = embedded_assets();
  const std::string style = assets.at("report.css") + assets.at("instructions.css") + assets.at("machine.css");
  for (const std::string& asset : {style, assets.at("instruction_first.js"), table_script("machine")}) {
    EXPECT_THAT(page, AllOf(HasSubstr(">" + asset + "</"), HasSubstr(csp_hash(asset))));
    for (const char* never : {"</", "://", "@import", "url(", "innerHTML", "outerHTML", "insertAdjacentHTML", "eval("})
      EXPECT_THAT(asset, Not(HasSubstr(never)));
  }
  for (const char* never : {" style=\"", " onclick", " src=\"", "javascript:", "<link rel=\"stylesheet"})
    EXPECT_THAT(testing::without_assets(page), Not(HasSubstr(never)));
}

TEST(MachineHtml, EscapesEveryTextOfTheRecord) {
  for (const std::string poison :
       {"</script><script>alert(1)</script>", "<!--<script>", "\"><img src=x onerror=alert(1)>",
        "' onmouseover='alert(1)", "&lt;&", "</noscript>", "\x01\r\xff\xc0", "{0} %s"}) {
    MachineTable table = testing::example_machine();
    table.device.name = table.device.arch = table.provenance.commit = poison;
    for (MachineRow& row : table.rows) {
      row.key += poison, row.text = poison;
      if (row.reason) row.reason = Error{poison, poison, poison};
      for (DependencyLatency& each : row.latencies) each.operand = each.through = each.note = poison;
      for (IssueCell& each : row.cells) each.note = poison;
    }
    for (ProducerConsumer& each : table.dependences)
      each.producer = each.consumer = each.latency.note = poison, each.latency.cycles = {},
      each.latency.least_right = {};
    const std::string page = testing::unfolded(machine_body(table));
    EXPECT_EQ(testing::xml_error(page), "") << poison;
    EXPECT_THAT(page, AllOf(Not(HasSubstr("<script>alert")), Not(HasSubstr("<img")), Not(HasSubstr("<!--"))));
  }
}

}  // namespace
}  // namespace warpclock
