
#include <gtest/gtest.h>

#include <algorithm>

#include "answer/words/page_words.hpp"
#include "base/testing/matchers.hpp"
#include "inspect/inspect.hpp"
#include "inspect/testing/recorded.hpp"
#include "model/testing/measured.hpp"
#include "report/page/page.hpp"
#include "report/page/testing/chromium.hpp"

namespace warpclock {
namespace {

Json kernel_words(const std::string& kernel) {
  const Machine machine = testing::cut_machine();
  return inspection_words(inspect("kernels.cubin", testing::recorded_kernels(), {.kernel = kernel, .machine = &machine})
                              .value())["kernels"][0];
}

TEST(InspectionPage, MarksLoopsChainsAndSpills) {
  const Json kernel = kernel_words("spills");
  const auto row = std::ranges::find_if(kernel["listing"], [](const Json& each) { return each["at"] == "0x0480"; });
  ASSERT_NE(row, kernel["listing"].end());
  EXPECT_EQ((*row)["css"], "d1 chain spill");
  EXPECT_EQ(kernel["tables"][1]["begin"], "0x0480");
  EXPECT_EQ((*row)["live"], "22");
  EXPECT_EQ(kernel["tables"].back()["facts"][0][0], "pipes");
  EXPECT_THAT(kernel["tables"][0].dump(), HasSubstr("of spilled registers"));
  EXPECT_THAT(kernel_words("nested").dump(), HasSubstr("\"css\":\"d2 chain\""));
}

Prediction example_prediction() {
  Prediction one{.file = "a.cubin", .kernel = "k", .readable = "k(int)", .gpu = "NVIDIA H200", .arch = "sm_90a"};
  one.timeline = {{0, 10, 0x20, "FFMA", "fma", 1, "stall count"}, {4, 12, 0x20, "LDS", "lsu", 2, "full queue", {"L2"}}};
  one.bounds = {{"pipe lsu", 93, 0.93}, {"issue", 40, 0.4}};
  one.limiter = "pipe lsu";
  return one;
}

TEST(PredictionPage, HasTheIssuesOfItsTimeline) {
  const Json kernel = prediction_words({example_prediction()})["kernels"][0];
  EXPECT_EQ(kernel["timeline"][1]["at"], "0x0020");
  EXPECT_EQ(kernel["timeline"][1]["paths"][0], "L2");
}

TEST(PredictionInChromium, SaysTheLimiterInASentence) {
  Prediction alone = example_prediction(), idle = example_prediction();
  alone.limiter = idle.limiter = "one warp alone";
  alone.bounds = {{"one warp alone", 93, 0.93}, {"issue", 40, 0.4}};
  alone.waits = {{0x20, "LDS R1", 1, 25, "scoreboard"}};
  idle.bounds = {{"one warp alone", 93, 0.93}};
  testing::expect_facts(
      "limiters.html",
      [&] {
        return render_predictions({example_prediction(), alone, idle});
      },
      {{"[...document.querySelectorAll('.verdict')].map(e => e.textContent)",
        {"pipe lsu limits it: busy for 93 % of the cycles. Next: issue, 40 %.",
         "The latencies of one warp limit it: the busiest resource is issue, 40 %. The longest waits are before 0x0020 "
         "LDS: 25 cycles, scoreboard.",
         "The latencies of one warp limit it: no resource is busy."}}});
}

TEST(PredictionPage, OfNoKernelIsAPage) { EXPECT_THAT(render_predictions({}), HasSubstr("data-page=\"predict\"")); }

}  // namespace
}  // namespace warpclock
