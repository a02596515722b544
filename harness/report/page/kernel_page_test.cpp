
#include <gtest/gtest.h>

#include "base/testing/matchers.hpp"
#include "record/json/record_json.hpp"
#include "record/testing/kernels.hpp"
#include "report/page/page.hpp"

namespace warpclock {
namespace {

TEST(KernelPages, SayInTheTitleWhatWasOnlyPredicted) {
  KernelTable table = testing::example_kernels();
  const std::string device = table.device.name;
  EXPECT_THAT(render_kernel_html(table), HasSubstr("Kernels, predicted and measured on " + device + "</h1>"));
  for (KernelRow& row : table.rows) row.measurement.reset();
  EXPECT_THAT(render_kernel_html(table), HasSubstr("Kernels, predicted for " + device + "</h1>"));
}

TEST(KernelPages, FollowFromTheRecordAlone) {
  const KernelTable table = testing::example_kernels();
  const auto again = must(read_kernel_table(to_json(table)));
  EXPECT_EQ(again, table);
  EXPECT_EQ(render_kernel_html(again), render_kernel_html(table));
}

TEST(KernelPages, LinkToTheOthersOfTheGpu) {
  PagePlace place;
  place.links = {{"full", "report.html", "the same GPU"}};
  EXPECT_THAT(render_kernel_html({}, place), HasSubstr("href=\"report.html\""));
}

}  // namespace
}  // namespace warpclock
