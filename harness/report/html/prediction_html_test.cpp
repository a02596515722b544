#include "report/html/prediction_html.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "record/testing/xml_check.hpp"

namespace warpclock {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

Prediction prediction() {
  Prediction one{.file = "a.cubin", .kernel = "k", .readable = "k(int)", .gpu = "NVIDIA H200", .arch = "sm_90a"};
  one.timeline = {{0, 10, 0x20, "FFMA", "fma", 1, "stall count"}, {4, 12, 0x20, "LDS", "lsu", 2, "full queue"}};
  return one;
}

TEST(PredictionHtml, DrawsWarpsOverCyclesAndPipesBelow) {
  const std::string page = render_predictions({prediction()});
  EXPECT_EQ(testing::xml_error(page), "");
  EXPECT_THAT(page, HasSubstr(">warp 4</text>"));
  EXPECT_THAT(page, HasSubstr(">lsu of 0</text>"));
  EXPECT_THAT(page, HasSubstr("<title>cycle 12: 0x0020 LDS, waited for: full queue</title>"));
  EXPECT_THAT(page, HasSubstr("width=\"7.0\"")) << "two cycles of the pipe";
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
