
#include <gtest/gtest.h>

#include "base/testing/matchers.hpp"
#include "record/json/record_json.hpp"
#include "record/testing/kernels.hpp"
#include "report/page/page.hpp"

namespace warpclock {
namespace {

TEST(KernelPages, SayInTheTitleWhatWasOnlyPredicted) {
  Record table = testing::example_kernels();
  const std::string device = table.device.name;
  EXPECT_THAT(render_record(table), HasSubstr("Kernels, predicted and measured on " + device + "</h1>"));
  for (Row& row : table.rows) std::erase_if(row.estimates, [](const Estimate& one) { return one.name == "cycles"; });
  EXPECT_THAT(render_record(table), HasSubstr("Kernels, predicted for " + device + "</h1>"));
}

TEST(KernelPages, FollowFromTheRecordAlone) {
  const Record table = testing::example_kernels();
  const auto again = must(parse_record(to_json(table), "cases.json", {{RecordFile::Cases}}));
  EXPECT_EQ(again, table);
  EXPECT_EQ(render_record(again), render_record(table));
}

TEST(KernelPages, LinkToTheOthersOfTheGpu) {
  PagePlace place;
  place.links = {{"full", "report.html", "the same GPU"}};
  EXPECT_THAT(render_record({.file = RecordFile::Cases}, place), HasSubstr("href=\"report.html\""));
}

}  // namespace
}  // namespace warpclock
