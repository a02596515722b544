#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "answer/numbers/answer.hpp"
#include "base/testing/matchers.hpp"
#include "record/features.hpp"
#include "record/testing/committed.hpp"
#include "record/testing/curve.hpp"
#include "record/testing/kernels.hpp"
#include "record/testing/layout.hpp"
#include "record/testing/memory.hpp"
#include "record/testing/record.hpp"
#include "report/page/page.hpp"
#include "report/page/testing/chromium.hpp"

namespace warpclock {
namespace {

using testing::expect_facts;

void expect_of(const char* name, const Record& record, const testing::PageFacts& facts) {
  expect_facts(
      name, [&] { return render_record(finished(record)); }, facts);
}

/// The texts of tables below `where`, by row.
std::string cells(const std::string& where) {
  return "[...document.querySelectorAll('" + where + " tbody tr')].map(r => [...r.cells].map(c => c.textContent))";
}

/// What the probe's part says: it is closed at first.
std::string opened(const std::string& expression) {
  return "[...document.querySelectorAll('.rows')].forEach(p => { p.open = true; p.fill(); }) ?? " + expression;
}

/// With hyphens for minus signs.
std::string hyphens(const std::string& expression) {
  return "JSON.parse(JSON.stringify(" + expression + ").replaceAll('\\u2212', '-'))";
}

std::string layout_at(int figure, int row, int column) {
  return opened("document.querySelectorAll('.lay')[" + std::to_string(figure) + "].tBodies[0].rows[" +
                std::to_string(row) + "].cells[" + std::to_string(column + 1) + "].textContent");
}

Record layouts_of(const std::string& probe, std::vector<Row> rows,
                  FeatureQuery::What what = FeatureQuery::What::Fragment) {
  Record record;
  record.probes = {testing::layout_probe(probe, what)};
  record.rows = std::move(rows);
  return record;
}

TEST(LayoutsInChromium, SayWhichRegisterOfWhichLaneHoldsAnElement) {
  Row torn = testing::synthetic_fragment(16, 16, "tf32", "f32", "a");
  torn.facts["packed"] = 2;
  std::swap(torn.places[0], torn.places[1]);
  Row holed = testing::synthetic_fragment(8, 4, "f64", "f64", "a");
  holed.places[5] = 0;
  const Record record = layouts_of(
      "matrix/mma_fragments",
      {testing::synthetic_fragment(16, 16, "f16", "f32", "a"), testing::synthetic_fragment(16, 32, "s8", "s32", "b"),
       testing::synthetic_fragment(16, 16, "f16", "f32", "c"), testing::synthetic_fragment(16, 16, "f16", "f16", "c"),
       torn, holed, testing::synthetic_fragment(16, 16, "bf16", "f32", "a")});
  // Two columns of the first are one register, as are four rows of the second.
  expect_of("layouts.html", record,
            {{opened("document.querySelectorAll('.layouts figure').length"), 6},
             {opened("document.querySelector('.layouts figure details summary').textContent"), "and 1 more"},
             {layout_at(0, 0, 0), "T0 r0"},
             {layout_at(0, 9, 2), "T6 r1"},
             {layout_at(0, 15, 7), "T31 r3"},
             {layout_at(1, 5, 3), "T13 r1"},
             {layout_at(2, 8, 1), "T0 r3"},
             {layout_at(3, 8, 0), "T0 r1"},
             {layout_at(4, 0, 0), "T0 r0.1"},
             {layout_at(5, 1, 1), "\xE2\x80\x93"},
             {layout_at(5, 1, 2), "T6 r0"}});
}

TEST(LayoutsInChromium, OfASwizzledBoxAreInPiecesOf16Bytes) {
  const Record record =
      layouts_of("tensor_copy/swizzle_layout",
                 {testing::synthetic_layout(
                     "tensor_copy/swizzle_layout",
                     {{"dims", std::int64_t{2}}, {"width", std::int64_t{32}}, {"swizzle", std::string("128B")}})},
                 FeatureQuery::What::Swizzle);
  expect_of("swizzle.html", record,
            {{layout_at(0, 0, 5), "L0 u5"}, {layout_at(0, 3, 0), "L3 u3"}, {layout_at(0, 31, 7), "L31 u0"}});
}

TEST(LayoutsInChromium, NeedFactsThatFitTheirPlaces) {
  const Row good = testing::synthetic_fragment(16, 8, "f16", "f32", "a");
  std::vector<Row> rows;
  for (const char* fact : {"rows", "columns", "packed"}) {
    for (const double value : {0.0, -1.0, 1.5, 1e9, std::numeric_limits<double>::quiet_NaN()}) {
      rows.push_back(good);
      rows.back().facts[fact] = value;
      rows.back().id += std::to_string(rows.size());
    }
  }
  rows.push_back(good);
  rows.back().facts["columns"] = 3;
  Row wild = good;
  wild.id += "wild";
  wild.places = {-1, 1e300, 4097, 2.5, std::numeric_limits<double>::quiet_NaN(), 1};
  rows.push_back(wild);
  expect_of(
      "wild.html", layouts_of(good.probe, rows),
      {{opened("document.querySelectorAll('.layouts figure').length"), 1},
       {opened("[...document.querySelectorAll('.lay td[title]')].filter(c => c.title !== 'not found').length"), 1}});
}

/// Every row of the committed results with a layout has the documented one.
TEST(Layouts, OfCommittedResultsAreWhatThePtxIsaSays) {
  int compared = 0;
  for (const Record& record : testing::committed_results()) {
    for (const Row& row : record.rows) {
      const auto probe = std::ranges::find(record.probes, row.probe, &ProbeRecord::name);
      const bool is_matrix =
          probe != record.probes.end() && std::ranges::any_of(probe->finds, [](const auto& find) {
            return find.what == FeatureQuery::What::Fragment || find.what == FeatureQuery::What::Swizzle;
          });
      if (!is_matrix || row.places.empty()) continue;
      const auto expected = testing::documented(row);
      ASSERT_TRUE(expected) << row.id << ": say in record/testing/layout.hpp what the PTX ISA has of it";
      EXPECT_EQ(row.places, expected->places()) << row.id;
      ++compared;
    }
  }
  RecordProperty("compared", compared);
}

TEST(FeaturesInChromium, AreATableOfWhatCurvesShow) {
  constexpr double kib = 1024;
  Record record;
  record.device.sms = 100;
  record.probes = {
      {"memory/chase", "memory", "?", {}, "footprint", {{"latency", FeatureQuery::What::Levels, "footprint", {}}}}};
  for (int i = 0; i <= 4 * 18; ++i) {
    const double bytes = kib * std::exp2(i / 4.0);
    Row row = at_place("memory/chase", {{"footprint", static_cast<std::int64_t>(bytes)}}, bytes < 200 * kib ? 34 : 280);
    row.counters = {{"l1_hit_rate", bytes < 200 * kib ? 100.0 : 0.2}, {"l2_hit_rate_ld", 99.8}};
    row.clock.sm_mhz = 2000;
    record.rows.push_back(std::move(row));
  }
  record.features = find_features(record);
  record.features.push_back(
      {.probe = "memory/chase", .name = "rate.plateau", .value = 8, .low = 7.5, .high = 8.5, .unit = "B/clk/SM"});
  const std::string table = ".found";
  expect_of("features.html", record,
            {{opened(cells(table) + ".length"), 4},
             {opened(cells(table) + "[0].filter((c, i) => [0, 2, 5].includes(i))"), {"", "34.00 cycles", "L1"}},
             {opened("/ [KM]iB \\(/.test(" + cells(table) + "[1][2])"), true},
             {opened("/% sure/.test(" + cells(table) + "[1][4])"), true},
             {opened(cells(table) + "[3][2]"), "8.000 B/clk/SM (1600 GB/s)"}});
}

TEST(PlacesInChromium, AreAMapOfTheirValuesOrGroups) {
  const auto record_of = [](FeatureQuery::What what) {
    Record record;
    record.probes = {{"memory/sm_map", "memory", "?", {}, "line", {{"load", what, "places", {}}}}};
    for (const std::vector<double>& places : {std::vector<double>{210, 280, 0, 300, 210}, {215, 275, 0, 290, 215}}) {
      Row row = at_place("memory/sm_map", {{"line", static_cast<std::int64_t>(record.rows.size())}}, 280);
      row.places = places;
      record.rows.push_back(row);
    }
    return record;
  };
  expect_of(
      "map.html", record_of(FeatureQuery::What::Spread),
      {{opened("[...document.querySelectorAll('.places path.p')].map(p => p.getAttribute('d').split('M').length - 1)"
               ".reduce((a, b) => a + b, 0)"),
        8}});
  expect_of("groups.html", record_of(FeatureQuery::What::Groups),
            {{opened(cells(".rows .plain") + ".slice(0, 3)"), json_of(R"([["1", "0 4"], ["2", "1"], ["3", "3"]])")}});
}

Row timed(const std::string& probe, Parameters parameters, const std::string& opcode, Estimate estimate,
          double sm_mhz = 2000) {
  Row row = testing::example_case(probe, std::move(parameters), opcode);
  row.clock = {};
  row.clock.sm_mhz = sm_mhz;
  row.clock.in_window = true;  // else it has no TFLOP/s
  row.estimates = {std::move(estimate)};
  return row;
}

Estimate estimate_of(const char* name, double value, const char* unit, const char* method) {
  return {name, value, value, value, unit, method};
}

TEST(TensorCoresInChromium, AreALineForEachShape) {
  Record record;
  record.device.arch = "sm_90a";
  record.device.sms = 100;
  const auto product = [&](const std::string& probe, Parameters more, Estimate estimate, double mhz = 2000) {
    Parameters parameters = {
        {"m", std::int64_t{16}}, {"k", std::int64_t{16}}, {"ab", std::string("f16")}, {"acc", std::string("f32")}};
    parameters.insert(parameters.end(), more.begin(), more.end());
    record.rows.push_back(timed("matrix/" + probe, std::move(parameters), "HMMA.16816.F32", std::move(estimate), mhz));
  };
  const auto rate = [](double value) { return estimate_of("throughput", value, "FMA/clk/SM", "rate"); };
  product("mma_table", {{"warps", std::int64_t{8}}}, rate(1024));
  for (const char* operand : {"a", "b", "c"})
    product("mma_latency", {{"operand", std::string(operand)}},
            estimate_of("latency", *operand == 'c' ? 33.2 : 24, "cycles", "slope"));
  product("mma_sustained", {}, rate(1000), 1500);
  ClockReading& clock = record.rows.back().clock;
  clock.sm_low_mhz = 1450, clock.sm_high_mhz = 1550, clock.energy_j = 261.6, clock.energy_s = 0.4;
  product("mma_table", {{"warps", std::int64_t{16}}}, rate(5000));
  testing::refuse(record.rows.back(), Outcome::Rejected, {"analyze", "nonlinear", "no line <goes> through it"});
  const std::string table = cells("#tensor .grid") + ".filter(r => r.length > 2)";
  expect_of(
      "tensor.html", record,
      {{table + ".length", 1},
       {table + "[0].slice(0, 12)",
        {"mma.sync f16 \xE2\x86\x92 f32", "m16n8k16", "", "24 (a, b), 33.2 (c)", "\xE2\x80\x93", "1024", "\xE2\x80\x93",
         "50.0 %", "300 (290 to 310)1450 to 1550 MHz, 654 W", "\xE2\x80\x93", "HMMA.16816.F32", "rejected: nonlinear"}},
       {"/Peaks in FMA.clk.SM: f16 2048 \\(/.test(document.querySelector('#tensor .note').textContent)", true}});
}

TEST(TensorCoresInChromium, CompareZerosWithTheSameCaseOfRandomData) {
  Record record;
  record.device.sms = 100;
  for (const auto& [probe, warps, rate] :
       {std::tuple{"interval", 4, 2048.0}, {"throughput", 8, 1250.0}, {"throughput_zeros", 8, 1359.0}})
    record.rows.push_back(timed(std::string("wgmma/") + probe,
                                {{"m", std::int64_t{64}},
                                 {"k", std::int64_t{16}},
                                 {"ab", std::string("f16")},
                                 {"acc", std::string("f32")},
                                 {"cols", std::int64_t{64}},
                                 {"a", std::string("shared")},
                                 {"warps", std::int64_t{warps}}},
                                "HGMMA", estimate_of("throughput", rate, "FMA/clk/SM", "rate")));
  const std::string table = cells("#tensor .grid") + ".filter(r => r.length > 2)";
  expect_of("zeros.html", record,
            {{table + "[0].slice(5, 10)", {"2048", "1359random 1250", "100.0 %", "\xE2\x80\x93", "\xE2\x80\x93"}}});
}

TEST(HandoffsInChromium, AreBarsWithTheirNumbers) {
  Record record;
  const auto handoff = [&](const char* probe, const char* by, std::int64_t apart, double cycles) {
    record.rows.push_back(timed(std::string("synchronization/") + probe, {{"by", std::string(by)}, {"apart", apart}},
                                "SYNCS", estimate_of("round_trip", cycles, "cycles", "slope")));
  };
  handoff("handoff_cluster", "st_async", 1, 300);
  testing::refuse(record.rows[0], Outcome::Failed, {"run", "fault", "it <faulted>"});
  handoff("handoff", "flag", 1, 210);
  handoff("handoff", "flag", 4, 200);
  expect_of(
      "handoffs.html", record,
      {{"[document.querySelector('#handoffs svg').dispatchEvent(new KeyboardEvent('keydown', {key: 'ArrowRight'})), "
        "document.querySelector('#handoffs .tip').textContent][1]",
        "flag within a block: 100.0 cycles, 50.0 ns at 2000 MHz; the longest of 2 cases: 105.0"},
       {"/Not measured: st_async, cluster \\(failed: fault\\)\\./.test("
        "document.querySelector('#handoffs .note').textContent)",
        true}});
}

TEST(PipelinesInChromium, AreTheExposedCyclesWithTheModelAndItsErrors) {
  Record record;
  record.device.l2_bytes = 32 << 20;
  const auto copies = [&](const std::string& probe, Parameters parameters, Estimate estimate) {
    record.rows.push_back(timed(probe, std::move(parameters), "LDGSTS.E.BYPASS.128", std::move(estimate)));
  };
  const auto tile = [&](const std::string& probe, std::int64_t stages, double cycles) {
    copies("async_copy/" + probe, {{"bytes", std::int64_t{16}}, {"work", std::int64_t{64}}, {"stages", stages}},
           {"tile", cycles, cycles - 1, cycles + 1, "cycles", "slope"});
  };
  const auto cost = [&](const std::string& probe, const char* source, double cycles) {
    copies("async_copy/" + probe,
           {{"bytes", std::int64_t{16}}, {"cache", std::string("cg")}, {"source", std::string(source)}},
           estimate_of("latency", cycles, "cycles", "slope"));
  };
  // Copies from L2 take 300 cycles, or at least 16 for 512 B; the computation takes 100. Those from DRAM take 600.
  tile("pipeline", 4, 101), tile("pipeline", 1, 410), tile("pipeline", 2, 310), tile("pipeline", 3, 160);
  tile("pipeline_alone", 0, 100);
  cost("latency", "l2", 300);
  copies("bulk_copy/load_rate", {{"footprint", std::int64_t{1 << 20}}}, estimate_of("rate", 32, "B/clk/SM", "rate"));
  tile("pipeline_dram", 2, 500), tile("pipeline_dram", 5, 120);
  testing::refuse(record.rows.back(), Outcome::Rejected, {"analyze", "nonlinear", "no line <goes> through it"});
  cost("latency_dram", "dram", 600);
  const std::string table = cells("#pipelines .grid") + ".filter(r => r.length > 2)";
  expect_of("pipelines.html", record,
            {{hyphens(table + "[0].slice(0, 9)"),
              {"L2", "work=64", "4", "4", "100", "310300 (-2.4 %)", "210200 (-3.2 %)", "6050 (-6.3 %)", "10 (-1.0 %)"}},
             {table + "[1][2]", "more than 5"},
             {"/\\u2715/.test(" + table + "[1][9])", true},
             {hyphens("[...document.querySelectorAll('#pipelines .note')].at(-1).textContent.match(/From L2.*/)[0]"),
              "From L2, a copy takes 300.0 cycles (async_copy/latency), an SM among all gets 32.0 B/clk "
              "(bulk_copy/load_rate); mean absolute error 3.2 % over 4 predictions, the furthest -6.3 % "
              "(async_copy/pipeline[bytes=16,work=64,stages=3]). From DRAM, a copy takes 600.0 cycles "
              "(async_copy/latency_dram); mean absolute error 20.0 % over 1 prediction, the furthest +20.0 % "
              "(async_copy/pipeline_dram[bytes=16,work=64,stages=2]). In all, mean absolute error 6.6 % over 5 "
              "predictions, the furthest +20.0 % (async_copy/pipeline_dram[bytes=16,work=64,stages=2])."},
             {"signedPercent(0.0004) + signedPercent(-0.0004) + signedPercent(0.0006)", "0.0 %0.0 %+0.1 %"},
             {"/A tile is 512 B: one warp on each SM, each lane of which copies 16 B/.test("
              "document.querySelector('#pipelines .asks').textContent)",
              true}});
}

TEST(ChartsInChromium, AreWrittenAsCsv) {
  expect_of(
      "charts.html", testing::example_record(),
      {{"[...document.querySelectorAll('.axes button')].some(b => b.textContent === 'CSV')", true},
       {"[...document.querySelectorAll('[id=\"probe:shuffle/latency\"] .tiles dt, [id=\"probe:shuffle/latency\"] "
        ".tiles "
        "b')].map(e => e.textContent)",
        {"latency", "23.00 \xE2\x80\x93 24.00"}},
       {opened("[...document.querySelectorAll('.probe .view')].some(v => [...v.querySelectorAll('tr[data-at]')].some("
               "(_, i) => { v.querySelector(`tr[data-at=\"${i}\"]`).cells[0].click(); return /may differ in another "
               "process: its launches differ, the interval reaches [0-9.]+ %/.test("
               "v.querySelector('.detail').textContent); }))"),
        true},
       {"chartCsv({x: {label: '', words: ['a, b']}, y: {label: 'cycles'}, lines: [{name: 'H\"200', points: [{x: "
        "0, y: 2.5, "
        "high: 3, id: 'p[x=1]'}]}]})",
        "line,x,cycles,low,high,id\r\n\"H\"\"200\",\"a, b\",2.5,,3,p[x=1]\r\n"}});
}

TEST(CasesInChromium, AreTheSignedErrorsOfTheirStudies) {
  Record table = testing::example_kernels();
  const std::string row =
      "[...document.querySelectorAll('section[id=\"study:copy\"] .grid tr[data-at]')]"
      ".map(r => [...r.cells].map(c => c.textContent).slice(0, 8))";
  expect_facts(
      "cases-facts.html", [&] { return render_record(table); },
      {{row, json_of(R"json([["variant=plain", "900 to 1000", "1002 (1000 to 1004)", "-10.2 to -0.2 %",
                                       "L2 90 %, unit lsu 40 %", "L2 80 %, issue 30 %", "yes", "82 % of cuBLAS 13.1.0"],
                                      ["variant=cold (held out)", "900 to 1000", "2000 (1990 to 2010)",
                                       "-55.0 to -50.0 %", "L2 90 %, unit lsu 40 %", "DRAM 90 %", "no: DRAM",
                                       "cuBLAS was not timed"]])json")},
       {"[...document.querySelectorAll('section[id=\"study:scan\"] tr[data-at]')].map(r => r.cells[2].textContent)",
        {"990 (1990 to 2010) by events", "failed: watchdog", "skipped: not-run"}},
       {"document.querySelectorAll('section[id=\"study:scan\"] thead th').length", 7},
       {"[...document.querySelectorAll('#gaps li')].map(e => e.textContent)",
        {"scan[variant=hangs] is failed: watchdog: no answer in 10 s: the worker was killed",
         "scan[variant=refused] is not predicted: how often the jump at 0x0100 is taken is not known",
         "scan[variant=refused] is skipped: not-run: nothing was measured"}},
       {"document.querySelector('#all li').textContent", "5 kernels: 3 measured, 1 without a prediction"},
       {"/all: 3 kernels, median error 5.2 %, 95 % within/.test(document.querySelector('#all').textContent)", true},
       {"document.querySelectorAll('#all svg.chart circle.mk').length > 2", true},
       {"/Library: /.test(document.querySelector('#all .rule').textContent)", true},
       {"document.querySelector('section[id=\"study:copy\"] .error').ariaLabel", "-5.2 %"}});
  for (Row& each : table.rows) each.kernel.library.reset();
  expect_facts("cases-without.html", [&] { return render_record(table); },
               {{"/ibrary/.test(document.querySelector('main').textContent)", false}});
}

TEST(FrontInChromium, IsALadderAndAPictureOfEachGpuWithLinks) {
  const Record memory = testing::whole_memory_record(), full = testing::example_record();
  const std::vector<ReportedGpu> gpus = {{.folder = "a", .results = {{"", &full}, {"memory", &memory}}},
                                         {.folder = "b", .results = {{"", &full}, {"memory", &memory}}}};
  expect_facts(
      "front.html", [&] { return render_index(gpus, {}); },
      {{"document.querySelectorAll('#front-0 svg.chart .br').length > 5", true},
       {"document.querySelector('#memory select').length", 2},
       {"document.querySelector('.picture a').getAttribute('href').startsWith('a/memory/report.html#probe%3A')", true},
       {"[document.querySelector('#memory select')].map(s => { s.selectedIndex = 1; s.dispatchEvent(new "
        "Event('change')); "
        "return document.querySelector('.picture a').getAttribute('href').split('/')[0]; })[0]",
        "b"},
       {"[...document.querySelectorAll('#pages a')].filter(a => a.textContent === 'result.json.gz').map(a => "
        "a.getAttribute('href'))",
        {"a/result.json.gz", "a/memory/result.json.gz", "b/result.json.gz", "b/memory/result.json.gz"}}});
}

}  // namespace
}  // namespace warpclock
