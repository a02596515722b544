#include "answer/sections/pipeline.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <limits>

#include "base/files/embedded.hpp"
#include "base/testing/matchers.hpp"
#include "model/testing/measured.hpp"
#include "plan/config/stanza.hpp"
#include "plan/sweep.hpp"
#include "record/testing/record.hpp"

namespace warpclock {
namespace {

using ::testing::Field;

/// Expects that the program has the probe with that estimate, and that `holds` is true for each of its cases.
void expect_probe(const std::string& name, const std::string& estimate,
                  const std::function<bool(const Parameters&)>& holds) {
  static const auto suite = load_suite(embedded_configs());
  ASSERT_TRUE(suite) << suite.error().message();
  const auto probe =
      std::ranges::find_if(suite->probes, [&](const Probe& each) { return each.family + "/" + each.name == name; });
  ASSERT_NE(probe, suite->probes.end()) << name;
  EXPECT_THAT(probe->measures, Contains(Field(&MeasureSpec::name, estimate))) << name;
  const auto points = expand(probe->sweep);
  ASSERT_TRUE(points) << name;
  ASSERT_FALSE(points->empty()) << name;
  for (const Parameters& point : *points) EXPECT_TRUE(holds(point)) << name;
}

TEST(KernelDesign, OfTheProgramNamesProbesAndParametersThatItHas) {
  ASSERT_TRUE(known_kernel_design()) << known_kernel_design().error().message();
  const KernelDesign& design = *known_kernel_design();
  for (const HandoffSource& source : design.handoffs) {
    expect_probe(source.from.probe, source.from.name,
                 [&](const Parameters& point) { return substitute(source.by, point).has_value(); });
  }
  const PipelineSource& pipelines = design.pipelines;
  const auto is_tile = [&](const Parameters& point) {
    return find(point, pipelines.stages) != nullptr && find(point, pipelines.work) != nullptr &&
           pipelines.bytes.evaluate(point).has_value();
  };
  expect_probe(pipelines.alone.probe, pipelines.alone.name, is_tile);
  for (const CopySource& source : pipelines.sources) {
    EXPECT_TRUE(source.latency != nullptr && source.rate != nullptr) << source.source;
    for (const Selector& tile : source.tiles) expect_probe(tile.probe, tile.name, is_tile);
  }
}

TEST(KernelDesign, IsStrictAboutItsText) {
  const auto quantities =
      parse_quantities("q.yaml", "quantities:\n  - {quantity: q, says: x, from: {device: l2_bytes}}\n");
  ASSERT_TRUE(quantities);
  const auto wrong = [&](const std::string& handoff, const std::string& latency) {
    const auto parsed = parse_kernel_design("k.yaml",
                                            "handoffs:\n  - {" + handoff +
                                                "}\npipelines:\n  stages: s\n  work: w\n  bytes: [32, b]\n  "
                                                "tile: t\n  alone: {probe: f/p, cases: t}\n  sources:\n    - {source: "
                                                "L2, tiles: {probe: f/p, cases: t}, issue: q, latency: " +
                                                latency + ", rate: q}\n",
                                            *quantities);
    return parsed ? "" : parsed.error().message();
  };
  const std::string handoff = "within: block, from: {probe: f/p, half: r}, by: x";
  EXPECT_EQ(wrong(handoff, "q"), "");
  EXPECT_THAT(wrong("within: block, from: {probe: f/p, half: r}", "q"), HasSubstr("missing key 'by'"));
  EXPECT_THAT(wrong(handoff + ", also: y", "q"), HasSubstr("also"));
  EXPECT_THAT(wrong(handoff, "r"), HasSubstr("unknown quantity 'r'"));
}

Row handoff(const std::string& probe, const std::string& by, std::int64_t apart, double round_trip) {
  Row row = testing::example_case("synchronization/" + probe, {{"by", by}, {"apart", apart}}, "SYNCS");
  row.clock.sm_mhz = 2000;
  row.estimates = {{"round_trip", round_trip, round_trip, round_trip, "cycles", "slope"}};
  return row;
}

Record handoff_record() {
  Record record;
  record.rows = {handoff("handoff_cluster", "st_async", 1, 300), handoff("handoff_cluster", "flag", 1, 400),
                 handoff("handoff", "flag", 1, 210), handoff("handoff", "flag", 4, 200),
                 handoff("handoff", "mbarrier_try", 1, 80)};
  testing::refuse(record.rows[0], Outcome::Failed, {"run", "fault", "it <faulted>"});
  return record;
}

Handoffs handoffs_of(const Record& record) { return handoffs(known_kernel_design()->handoffs, record); }

TEST(Handoffs, AreHalfOfTheShortestWayThereAndBack) {
  const Record record = handoff_record();
  const Handoffs all = handoffs_of(record);
  ASSERT_THAT(all.measured, SizeIs(3));
  EXPECT_EQ(all.measured[0].by + all.measured[1].by + all.measured[2].by, "mbarrier_tryflagflag");
  const Handoff& flag = all.measured[1];
  EXPECT_EQ(flag.within, "block");
  EXPECT_EQ(flag.cycles, 100);
  EXPECT_EQ(flag.longest, 105);
  EXPECT_EQ(flag.cases, 2u);
  EXPECT_EQ(flag.row, &record.rows[3]);
  EXPECT_EQ(all.measured[2].within, "cluster");
}

TEST(Handoffs, NameTheMechanismsOfWhichNoCaseWasMeasured) {
  Record record = handoff_record();
  testing::refuse(record.rows[2], Outcome::Rejected, {"analyze", "nonlinear", "no line"});
  const Handoffs all = handoffs_of(record);
  ASSERT_THAT(all.missing, SizeIs(1)) << "one of the flag's cases is left";
  EXPECT_EQ(all.missing[0].first, "st_async, cluster");
  EXPECT_EQ(all.missing[0].second, &record.rows[0]);
  EXPECT_THAT(handoffs_of(Record{}).measured, IsEmpty());
}

Row row_of(const std::string& probe, Parameters parameters, Estimate estimate) {
  Row row = testing::example_case(probe, std::move(parameters), "LDGSTS.E.BYPASS.128");
  row.estimates = {std::move(estimate)};
  return row;
}

Row tile(const std::string& probe, std::int64_t work, std::int64_t stages, double cycles) {
  return row_of("async_copy/" + probe, {{"bytes", std::int64_t{16}}, {"work", work}, {"stages", stages}},
                {"tile", cycles, cycles - 1, cycles + 1, "cycles", "slope"});
}

/// Copies from L2 take 300 cycles, or at least 16 for 512 B; the computation takes 100.
Record pipeline_record() {
  Record record;
  record.rows = {tile("pipeline", 64, 4, 101), tile("pipeline", 64, 1, 410), tile("pipeline", 64, 2, 310),
                 tile("pipeline", 64, 3, 160), tile("pipeline_alone", 64, 0, 100)};
  record.rows.push_back(row_of(
      "async_copy/latency", {{"bytes", std::int64_t{16}}, {"cache", std::string("cg")}, {"source", std::string("l2")}},
      {"latency", 300, 299, 301, "cycles", "slope"}));
  record.rows.push_back(
      row_of("bulk_copy/load_rate", {{"footprint", std::int64_t{1 << 20}}}, {"rate", 32, 31, 33, "B/clk/SM", "rate"}));
  record.device.l2_bytes = 32 << 20;
  return record;
}

Row issue_of(double cycles) {
  return row_of("async_copy/issue", {{"bytes", std::int64_t{16}}, {"cache", std::string("cg")}},
                {"interval", cycles, cycles, cycles, "cycles", "slope"});
}

std::vector<Pipelines> pipelines_of(const Record& record) {
  return pipelines(known_kernel_design()->pipelines, record);
}

TEST(Pipelines, ATileTakesItsComputationAndTheIssueOfItsCopy) {
  Record record = pipeline_record();
  record.rows.push_back(issue_of(6));
  const auto all = pipelines_of(record);
  ASSERT_THAT(all, SizeIs(1));
  EXPECT_EQ(all[0].lines.at(0).predicted(8), 106);
  EXPECT_EQ(all[0].lines[0].predicted(3), 150) << "the copy is longer";
  EXPECT_EQ(all[0].lines[0].alone, 100) << "the computation is what is measured without copies";
  EXPECT_EQ(all[0].issue.value().probe, "async_copy/issue");
}

TEST(Pipelines, ComparesEveryNumberOfStagesWithTheModel) {
  const Record record = pipeline_record();
  const auto all = pipelines_of(record);
  ASSERT_THAT(all, SizeIs(1));
  EXPECT_EQ(all[0].source, "L2");
  ASSERT_THAT(all[0].lines, SizeIs(1));
  const Pipeline& line = all[0].lines[0];
  EXPECT_EQ(line.work, "work=64");
  ASSERT_THAT(line.points, SizeIs(4));
  EXPECT_EQ(line.points.front().stages, 1);
  EXPECT_EQ(line.alone, 100);
  EXPECT_TRUE(line.alone_measured);
  EXPECT_EQ(line.bytes, 512);
  EXPECT_EQ(line.predicted(1), 400);
  EXPECT_EQ(line.predicted(2), 300);
  EXPECT_EQ(line.predicted(3), 150);
  EXPECT_EQ(line.predicted(4), 100);
  EXPECT_EQ(line.predicted(0), std::nullopt);
  EXPECT_EQ(line.predicted_to_hide(), 4);
  EXPECT_EQ(all[0].latency.value().probe, "async_copy/latency");
  EXPECT_EQ(all[0].rate.value().value, 32);
}

TEST(Pipelines, SayTheErrorsOfTheModel) {
  Record record = pipeline_record();
  record.rows[0].estimates[0].value = 80;  // the model predicts 100
  const auto all = pipelines_of(record);
  const ModelError error = model_error(all);
  EXPECT_EQ(error.predictions, 4U);
  EXPECT_NEAR(error.sum, 10.0 / 410 + 10.0 / 310 + 10.0 / 160 + 20.0 / 80, 1e-12);
  EXPECT_DOUBLE_EQ(error.worst, 0.25);
  EXPECT_EQ(error.furthest, &record.rows[0]);
}

TEST(Pipelines, SumTheErrorsOfAllPlaces) {
  Record record = pipeline_record();
  record.rows.push_back(tile("pipeline_dram", 64, 2, 500));
  record.rows.push_back(
      row_of("async_copy/latency_dram",
             {{"bytes", std::int64_t{16}}, {"cache", std::string("cg")}, {"source", std::string("dram")}},
             {"latency", 600, 599, 601, "cycles", "slope"}));
  const ModelError error = model_error(pipelines_of(record));
  EXPECT_EQ(error.predictions, 5U);
  EXPECT_NEAR(error.worst, 0.2, 1e-12);
}

TEST(Pipelines, AreBoundByBandwidthWhateverTheStages) {
  Record record = pipeline_record();
  record.rows.back().estimates[0].value = 4;
  const auto all = pipelines_of(record);
  EXPECT_EQ(all[0].lines[0].predicted(4), 128);
  EXPECT_FALSE(all[0].lines[0].predicted_to_hide());
}

/// Copies are in flight together for as long as they wait: the equation of the queue holds for the time that is found.
TEST(Pipelines, CopiesOfAQueueWaitTheLongerTheCloserTheyComeToTheRate) {
  Record record = pipeline_record();
  auto all = pipelines_of(record);
  Pipeline line = all[0].lines.at(0);
  line.alone = 1;
  line.queue = 40;
  double before = 1e9;
  for (int stages = 2; stages <= 40; ++stages) {
    const double tile = line.predicted(stages).value(), load = 512.0 / 32 / tile;
    EXPECT_NEAR((stages - 1) * tile, 300 + 40 * load / (1 - load), 1e-6) << stages;
    EXPECT_LT(tile, before);
    EXPECT_GT(tile, 512.0 / 32);
    before = tile;
  }
  EXPECT_GT(line.predicted(1).value(), 301);
  line.rate.reset();
  EXPECT_DOUBLE_EQ(line.predicted(2).value(), 300);
}

TEST(CommittedPipelines, HaveAnErrorOfAtMostThreeAndAHalfPercentInTheMean) {
  ASSERT_GE(testing::committed_gpus().size(), 2U);
  for (const auto& one : testing::committed_gpus()) {
    const Record& record = one.gpu.results.at("kernels/result.json");
    const auto all = pipelines_of(record);
    const ModelError error = model_error(all);
    EXPECT_EQ(error.predictions, 54U) << one.machine.folder;
    EXPECT_LE(error.sum / static_cast<double>(error.predictions), 0.035) << one.machine.folder;
  }
}

TEST(Pipelines, OfACaseThatWasNotMeasuredHaveAGap) {
  Record record = pipeline_record();
  testing::refuse(record.rows[0], Outcome::Rejected, {"analyze", "nonlinear", "no line <goes> through it"});
  const auto all = pipelines_of(record);
  EXPECT_EQ(all[0].lines[0].points.back().tile, nullptr);
}

TEST(Pipelines, WithoutTheComputationAloneTakeTheTileOfTheMostStages) {
  Record record = pipeline_record();
  record.rows.erase(record.rows.begin() + 4);
  record.rows.push_back(tile("pipeline_dram", 64, 8, 99));
  record.rows.push_back(tile("pipeline_dram", 64, 2, 90));
  const auto all = pipelines_of(record);
  ASSERT_THAT(all, SizeIs(2));
  EXPECT_EQ(all[0].lines[0].alone, 99);
  EXPECT_FALSE(all[0].lines[0].alone_measured);
  EXPECT_EQ(all[1].lines[0].alone, 99);
  EXPECT_EQ(all[1].source, "DRAM");
  EXPECT_FALSE(all[1].latency) << "no row has its latency";
}

TEST(Pipelines, LeaveOutWhatIsNoPipeline) {
  Record record;
  record.rows = {tile("pipeline", 64, 0, 100), tile("pipeline", 64, -3, 100),
                 tile("pipeline", 64, std::numeric_limits<std::int64_t>::max(), 100), tile("pipeline", 32, 2, 0),
                 tile("pipeline", 16, 2, std::numeric_limits<double>::quiet_NaN())};
  EXPECT_THAT(pipelines_of(record), IsEmpty());
}

}  // namespace
}  // namespace warpclock
