#include <gtest/gtest.h>

#include "base/testing/matchers.hpp"
#include "record/testing/xml_check.hpp"
#include "report/html/html.hpp"

namespace warpclock {
namespace {

Prediction prediction() {
  Prediction one{.file = "a.cubin", .kernel = "k", .readable = "k(int)", .gpu = "NVIDIA H200", .arch = "sm_90a"};
  one.timeline = {{0, 10, 0x20, "FFMA", "fma", 1, "stall count"},
                  {1, 11, 0x20, "FFMA", "fma", 1, "stall count"},
                  {4, 12, 0x20, "LDS", "lsu", 2, "full queue"},
                  {4, 20, 0x20, "LDS", "lsu", 2, "full queue"}};
  return one;
}

TEST(PredictionHtml, DrawsWarpsOverCyclesAndPipesBelow) {
  const std::string page = render_predictions({prediction()});
  EXPECT_EQ(testing::xml_error(page), "");
  EXPECT_THAT(page, HasSubstr(">warp 4</text>"));
  EXPECT_THAT(page, Not(HasSubstr(">warp 1</text>"))) << "it is on another sub-partition";
  EXPECT_THAT(page, HasSubstr(">pipe lsu</text>"));
  EXPECT_THAT(page, HasSubstr("<title>cycle 20: 0x0020 LDS, waited for: full queue</title>"));
  EXPECT_THAT(page, HasSubstr("width=\"7.0\"")) << "two cycles of the pipe";
  EXPECT_THAT(page, HasSubstr("class=\"w3\"")) << "from cycle 13 to the issue, warp 4 waits";
}

TEST(PredictionHtml, MarksTheLimiterInTheSentenceTheBarsAndTheTimeline) {
  Prediction one = prediction();
  one.bounds = {{"pipe lsu", 93, 0.93}, {"issue", 40, 0.4}};
  one.limiter = "pipe lsu";
  const std::string page = render_predictions({one});
  EXPECT_THAT(page, HasSubstr("<b>pipe lsu</b> limits it: busy for 93 % of the cycles. Next: issue, 40 %."));
  EXPECT_THAT(page, HasSubstr("<div class=\"limiter\"><span>pipe lsu</span>"));
  EXPECT_THAT(page, HasSubstr("<text class=\"limiter\" x=\"4\""));
  EXPECT_THAT(page, HasSubstr(">pipe lsu 93 %</text>"));
  one.limiter = "one warp alone";
  one.bounds = {{"one warp alone", 93, 0.93}, {"issue", 40, 0.4}};
  one.waits = {{0x20, "LDS R1", 1, 25, "scoreboard"}};
  EXPECT_THAT(render_predictions({one}),
              HasSubstr("the busiest resource is issue, 40 %. The longest waits are before 0x0020 LDS: 25 cycles"));
}

TEST(PredictionHtml, EscapesEverythingForeign) {
  const std::string bad = "<script>alert('x')</script>&\"";
  Prediction one = prediction();
  one.file = one.readable = one.gpu = one.limiter = bad;
  one.timeline[0].instruction = one.timeline[0].pipe = one.timeline[0].why = bad;
  one.bounds = {{bad, 1, 1}};
  one.assumed = {bad};
  one.unknown = {{bad, bad, {}}};
  one.waits = {{0, bad, 1, 1, bad}};
  const std::string page = render_predictions({one});
  EXPECT_EQ(testing::xml_error(page), "");
  EXPECT_THAT(page, Not(HasSubstr("<script>alert")));
}

}  // namespace
}  // namespace warpclock
