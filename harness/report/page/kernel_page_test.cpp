#include "report/page/kernel_page.hpp"

#include <gtest/gtest.h>

#include "base/files/paths.hpp"
#include "base/testing/matchers.hpp"
#include "record/json/record_json.hpp"
#include "record/testing/golden.hpp"
#include "record/testing/kernels.hpp"

namespace warpclock {
namespace {

std::string page_of(const KernelTable& table) { return kernel_sheet(table).dump(); }

TEST(KernelPages, ShowTheSignedErrorOfEachCase) {
  const KernelTable table = testing::example_kernels();
  const std::string page = page_of(table);
  for (const char* each : {"-10.2 to -0.2 %", "-55.0 to -50.0 %", "no: DRAM", "990 (1990 to 2010) by events",
                           "no answer in 10 s", "how often the jump at 0x0100 is taken",
                           "all: 3 kernels, median error 5.2 %, 95 % within", "held out: 1 kernel,", "right in 1 of 2"})
    EXPECT_THAT(page, HasSubstr(each));
  EXPECT_THAT(page, HasSubstr("\"bar\":-52.5"));
}

TEST(KernelPages, CompareWithALibraryOnlyWhereThereIsOne) {
  KernelTable table = testing::example_kernels();
  const auto count = [](const std::string& text, const std::string& part) {
    std::size_t found = 0;
    for (std::size_t at = text.find(part); at != text.npos; at = text.find(part, at + 1)) ++found;
    return found;
  };
  const std::string page = page_of(table);
  EXPECT_EQ(count(page, "82 % of cuBLAS 13.1.0"), 1U);
  EXPECT_EQ(count(page, "cuBLAS was not timed"), 1U);
  EXPECT_EQ(count(page, "Library: "), 1U);
  EXPECT_EQ(count(page, "\"library\""), 1U) << "the other study has none";
  for (KernelRow& row : table.rows) row.library.reset();
  EXPECT_THAT(page_of(table), Not(HasSubstr("ibrary")));
}

TEST(KernelPages, SayInTheTitleWhatWasOnlyPredicted) {
  KernelTable table = testing::example_kernels();
  const std::string device = table.device.name;
  EXPECT_THAT(render_kernel_html(table), HasSubstr("Kernels, predicted and measured on " + device + "</h1>"));
  for (KernelRow& row : table.rows) row.measurement.reset();
  EXPECT_THAT(render_kernel_html(table), HasSubstr("Kernels, predicted for " + device + "</h1>"));
}

/// Rows that an H100 gave: of `configs/cases.yaml`, and of kernels that fault or hang.
TEST(KernelPages, OfARecordAreTheAcceptedOnes) {
  const std::string path = WARPCLOCK_SOURCE_DIR "/harness/report/testdata/cases.json";
  const auto table = must(read_kernel_table(read_file(path).value(), path));
  EXPECT_EQ(table.rows.size(), 10U);
  testing::expect_golden("cases_sheet.json", kernel_sheet(table).dump(1) + "\n");
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
