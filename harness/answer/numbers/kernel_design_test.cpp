#include "answer/numbers/kernel_design.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

#include "base/files/embedded.hpp"
#include "base/testing/matchers.hpp"
#include "plan/config/suite.hpp"
#include "plan/sweep.hpp"

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
  EXPECT_THAT(wrong(handoff, "r"), HasSubstr("no quantity is called 'r'"));
}

}  // namespace
}  // namespace warpclock
