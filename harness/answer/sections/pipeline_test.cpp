#include "answer/sections/pipeline.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "base/testing/matchers.hpp"
#include "model/testing/measured.hpp"
#include "record/testing/record.hpp"

namespace warpclock {
namespace {

CaseRecord row_of(const std::string& probe, Parameters parameters, Estimate estimate) {
  CaseRecord row = testing::example_case(probe, std::move(parameters), "LDGSTS.E.BYPASS.128");
  row.estimates = {std::move(estimate)};
  return row;
}

CaseRecord tile(const std::string& probe, std::int64_t work, std::int64_t stages, double cycles) {
  return row_of("async_copy/" + probe, {{"bytes", std::int64_t{16}}, {"work", work}, {"stages", stages}},
                {"tile", cycles, cycles - 1, cycles + 1, "cycles", "slope"});
}

/// Copies from L2 take 300 cycles, or at least 16 for 512 B; the computation takes 100.
Record pipeline_record() {
  Record record;
  record.cases = {tile("pipeline", 64, 4, 101), tile("pipeline", 64, 1, 410), tile("pipeline", 64, 2, 310),
                  tile("pipeline", 64, 3, 160), tile("pipeline_alone", 64, 0, 100)};
  record.cases.push_back(row_of(
      "async_copy/latency", {{"bytes", std::int64_t{16}}, {"cache", std::string("cg")}, {"source", std::string("l2")}},
      {"latency", 300, 299, 301, "cycles", "slope"}));
  record.cases.push_back(
      row_of("bulk_copy/load_rate", {{"footprint", std::int64_t{1 << 20}}}, {"rate", 32, 31, 33, "B/clk/SM", "rate"}));
  record.device.l2_bytes = 32 << 20;
  return record;
}

CaseRecord issue_of(double cycles) {
  return row_of("async_copy/issue", {{"bytes", std::int64_t{16}}, {"cache", std::string("cg")}},
                {"interval", cycles, cycles, cycles, "cycles", "slope"});
}

std::vector<Pipelines> pipelines_of(const Record& record) {
  return pipelines(known_kernel_design()->pipelines, record);
}

TEST(Pipelines, ATileTakesItsComputationAndTheIssueOfItsCopy) {
  Record record = pipeline_record();
  record.cases.push_back(issue_of(6));
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
  record.cases[0].estimates[0].value = 80;  // the model predicts 100
  const auto all = pipelines_of(record);
  const ModelError error = model_error(all);
  EXPECT_EQ(error.predictions, 4U);
  EXPECT_NEAR(error.sum, 10.0 / 410 + 10.0 / 310 + 10.0 / 160 + 20.0 / 80, 1e-12);
  EXPECT_DOUBLE_EQ(error.worst, 0.25);
  EXPECT_EQ(error.furthest, &record.cases[0]);
}

TEST(Pipelines, SumTheErrorsOfAllPlaces) {
  Record record = pipeline_record();
  record.cases.push_back(tile("pipeline_dram", 64, 2, 500));
  record.cases.push_back(
      row_of("async_copy/latency_dram",
             {{"bytes", std::int64_t{16}}, {"cache", std::string("cg")}, {"source", std::string("dram")}},
             {"latency", 600, 599, 601, "cycles", "slope"}));
  const ModelError error = model_error(pipelines_of(record));
  EXPECT_EQ(error.predictions, 5U);
  EXPECT_NEAR(error.worst, 0.2, 1e-12);
}

TEST(Pipelines, AreBoundByBandwidthWhateverTheStages) {
  Record record = pipeline_record();
  record.cases.back().estimates[0].value = 4;
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
  testing::refuse(record.cases[0], Outcome::Rejected, {"analyze", "nonlinear", "no line <goes> through it"});
  const auto all = pipelines_of(record);
  EXPECT_EQ(all[0].lines[0].points.back().tile, nullptr);
}

TEST(Pipelines, WithoutTheComputationAloneTakeTheTileOfTheMostStages) {
  Record record = pipeline_record();
  record.cases.erase(record.cases.begin() + 4);
  record.cases.push_back(tile("pipeline_dram", 64, 8, 99));
  record.cases.push_back(tile("pipeline_dram", 64, 2, 90));
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
  record.cases = {tile("pipeline", 64, 0, 100), tile("pipeline", 64, -3, 100),
                  tile("pipeline", 64, std::numeric_limits<std::int64_t>::max(), 100), tile("pipeline", 32, 2, 0),
                  tile("pipeline", 16, 2, std::numeric_limits<double>::quiet_NaN())};
  EXPECT_THAT(pipelines_of(record), IsEmpty());
}

}  // namespace
}  // namespace warpclock
