#include "base/testing/matchers.hpp"
#include "inspect/inspect.hpp"
#include "inspect/testing/recorded.hpp"
#include "model/testing/measured.hpp"
#include "record/testing/golden.hpp"
#include "record/testing/xml_check.hpp"
#include "report/html/html.hpp"

namespace warpclock {
namespace {

Inspection inspection_of(const std::string& kernel) {
  const Machine machine = testing::cut_machine();
  return inspect("kernels.cubin", testing::recorded_kernels(), {.kernel = kernel, .machine = &machine}).value();
}

TEST(InspectionHtml, IsTheAcceptedPage) {
  const std::string page = testing::without_assets(render_inspection(inspection_of("pipeline")));
  testing::expect_golden("inspection.html", page);
}

TEST(InspectionHtml, IsWellFormedAndEscapesEverythingForeign) {
  Inspection inspection = inspection_of("");
  const std::string bad = "<script>alert('x')</script>&\"";
  inspection.file = inspection.kind = inspection.arch = inspection.latencies = bad;
  KernelInspection& kernel = inspection.kernels.at(0);
  kernel.readable = kernel.name = bad;
  for (ListedInstruction& each : kernel.listing) each.text = each.file = each.wait = bad;
  LoopFacts& loop = kernel.loops.at(0);
  loop.lines = {{bad, 1, 2}};
  loop.trip->unknown = {bad};
  for (ChainLink& link : loop.carried->chain) link.text = link.basis = bad;
  for (PipeCount& pipe : loop.mix.pipes) pipe.pipe = bad;
  for (Access& access : loop.mix.accesses) access.instruction = access.kind = access.memory = bad;
  kernel.occupancy.at(0).limits = {bad};
  const std::string page = render_inspection(inspection);
  EXPECT_EQ(testing::xml_error(page), "");
  EXPECT_THAT(page, Not(HasSubstr("<script>alert")));
  EXPECT_THAT(page, HasSubstr("&lt;script&gt;alert"));
}

TEST(InspectionHtml, MarksLoopsChainsAndSpills) {
  const std::string page = render_inspection(inspection_of("spills"));
  EXPECT_THAT(page, HasSubstr("<tr id=\"k0-480\" class=\"d1 chain spill\">"));
  EXPECT_THAT(page, HasSubstr("<a href=\"#k0-480\">loop 0</a>"));
  EXPECT_THAT(render_inspection(inspection_of("nested")), HasSubstr("class=\"d2 chain\""));
}

}  // namespace
}  // namespace warpclock
