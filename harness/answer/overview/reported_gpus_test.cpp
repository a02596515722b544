#include <gtest/gtest.h>

#include "answer/overview/overview_sheets.hpp"
#include "answer/overview/reported_gpu.hpp"
#include "base/testing/matchers.hpp"
#include "record/testing/kernels.hpp"
#include "record/testing/memory.hpp"

namespace warpclock {
namespace {

TEST(ReportedGpu, HasAQuantityFromTheResultWithItsBestPlace) {
  const Record full = testing::memory_record();
  Record memory = full;
  for (Row& row : memory.rows) {
    if (row.probe == "bandwidth/read") row.probe = "bandwidth/queue";
  }
  const auto quantities = must(parse_quantities("q.yaml",
                                                "quantities:\n  - quantity: a\n    says: a thing\n    from:\n"
                                                "      - {probe: bandwidth/queue, cases: rate, take: highest}\n"
                                                "      - {probe: bandwidth/read, cases: rate, take: lowest}\n"));
  const Quantity& quantity = quantities.at("a");
  const ReportedGpu gpu{.folder = "nvidia-h200", .results = {{"", &full}, {"memory", &memory}}};
  const auto best = must(find_quantity(gpu, quantity));
  EXPECT_EQ(best.suite, "memory");
  EXPECT_EQ(best.value.probe, "bandwidth/queue");
  EXPECT_EQ(best.value.preferred, "");
  const auto other = must(find_quantity(ReportedGpu{.folder = "nvidia-h200", .results = {{"", &full}}}, quantity));
  EXPECT_EQ(other.value.probe, "bandwidth/read");
}

TEST(ReportedGpu, HasThePredictionsOfEachFolderUnderItsName) {
  const Record table = testing::example_kernels();
  const Reports reports = {{RecordFile::Cases, {{"nvidia-h200", table}, {"nvidia-h200/blocks", table}}}};
  const auto gpus = reported_gpus(reports);
  ASSERT_EQ(gpus.size(), 1U);
  EXPECT_EQ(gpus[0].name(), table.device.name);
  const std::string sheet = index_sheet(gpus).dump();
  EXPECT_THAT(sheet, HasSubstr("predictions\",\"href\":\"nvidia-h200/cases.html\""));
  EXPECT_THAT(sheet, HasSubstr("blocks predictions\",\"href\":\"nvidia-h200/blocks/cases.html\""));
}

}  // namespace
}  // namespace warpclock
