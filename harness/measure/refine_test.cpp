#include "measure/refine.hpp"

#include <gtest/gtest.h>

#include "base/lookup.hpp"
#include "plan/config/stanza.hpp"
#include "plan/plan.hpp"
#include "record/testing/curve.hpp"

namespace warpclock {
namespace {

/// A level up to 200 KiB and another after it, with four points per octave from 16 KiB to 1 MiB, all multiples of 128
/// B.
Record two_levels(double within, double first = 34, double apart = 0) {
  Record record;
  record.probes = {{"memory/chase",
                    "memory",
                    "?",
                    {},
                    "footprint",
                    {{"latency", FeatureQuery::What::Levels, "footprint", {}, within, apart}}}};
  for (const std::int64_t lines : {128,  152,  181,  215,  256,  304,  362,  431,  512,  609,  724,  861, 1024,
                                   1218, 1448, 1722, 2048, 2435, 2896, 3444, 4096, 4871, 5793, 6889, 8192}) {
    record.rows.push_back(at_place("memory/chase", {{"path", "ca"}, {"footprint", lines * 128}},
                                   lines * 128 <= 200 * 1024 ? first : 280));
  }
  return record;
}

std::vector<std::int64_t> places(const std::vector<Refinement>& wanted) {
  return mapped(wanted, [](const Refinement& one) { return std::get<std::int64_t>(*find(one.point, "footprint")); });
}

TEST(Refinement, LiesInTheBracketOnTheAxissGrid) {
  const std::vector<Refinement> wanted = refinements(two_levels(1), 3);
  ASSERT_EQ(wanted.size(), 3U);
  EXPECT_EQ(wanted[0].probe, "memory/chase");
  EXPECT_EQ(to_string(*find(wanted[0].point, "path")), "ca");
  for (const std::int64_t bytes : places(wanted)) {
    EXPECT_GT(bytes, 1448 * 128);
    EXPECT_LT(bytes, 1722 * 128);
    EXPECT_EQ(bytes % 128, 0);
  }
}

TEST(Refinement, IsForFindsThatAskForIt) {
  EXPECT_TRUE(refinements(two_levels(0), 3).empty());
  EXPECT_TRUE(refinements(two_levels(20), 3).empty()) << "the bracket is narrower than that";
}

TEST(Refinement, IsOfLevelsAsFarApartAsIsAskedFor) {
  constexpr double first = 273;  // 2.6 % less
  EXPECT_TRUE(refinements(two_levels(1, first), 3).empty());
  EXPECT_EQ(refinements(two_levels(1, first, 2), 3).size(), 3U);
  EXPECT_TRUE(refinements(two_levels(1, first, 4), 3).empty());
}

const char* const config = R"(family: memory
probes:
  - name: chase
    asks: Over which bytes?
    sweep: {path: [ca, cg]}
    along: {footprint: {from: 16 KiB, to: 1 MiB, per_octave: 4, step: 128 B}}
    repeat: [32, 64, 128]
    data: {bytes: [footprint], fill: chase, stride: 128}
    window: {target: LDG}
    measures:
      - {name: latency, method: slope, unit: cycles}
    finds:
      - {what: levels, of: latency, within: 1}
)";

/// A run of this config on a machine whose first level ends at 200,000 bytes for path ca, and which has a single level
/// for cg.
class Refine : public ::testing::Test {
 protected:
  Refine() {
    auto suite = load_suite({{"configs/memory.yaml", config}});
    if (!suite) throw std::runtime_error(suite.error().message());
    suite_ = std::move(*suite);
    auto cases = plan(suite_, Arch{90, true});
    if (!cases) throw std::runtime_error(cases.error().message());
    Verdict verified;
    verified.code = "verified";
    for (Case& one : *cases) {
      Build build;
      for (const std::int64_t n : one.repeats) build.kernels.push_back({n, "k" + std::to_string(n), {}});
      table_.compiled.push_back({build, {verified, verified, verified}});
      table_.cases.push_back(std::move(one));
    }
    for (std::size_t i = 0; i < table_.cases.size(); ++i) record_.rows.push_back(*measure(i));
    const Probe& probe = suite_.probes.front();
    record_.probes = {{"memory/chase", "memory", probe.asks, probe.chart, probe.along, probe.finds}};
  }

  Expected<Row> measure(std::size_t i) {
    const Case& one = table_.cases[i];
    const bool far = one.id.contains("path=ca") && one.data.bytes > 200'000;
    Observation seen;
    for (const std::int64_t n : one.repeats) {
      seen.samples.push_back({n, std::vector<double>(7, (far ? 280.0 : 34.0) * static_cast<double>(n))});
    }
    const Expected<Observation> result = seen;
    return table_.row(i, &result);
  }

  Expected<void> refine() {
    return refine_curves(suite_, table_, record_, [this](std::size_t i) { return measure(i); });
  }

  Suite suite_;
  CaseTable table_;
  Record record_;
};

TEST_F(Refine, AddsCasesUntilTheEndOfALevelIsKnown) {
  const std::size_t before = record_.rows.size();
  ASSERT_TRUE(refine());
  EXPECT_GT(record_.rows.size(), before + 3) << "more than one round";
  EXPECT_LE(record_.rows.size(), before + 9);
  ASSERT_EQ(table_.cases.size(), record_.rows.size());
  ASSERT_EQ(table_.compiled.size(), record_.rows.size());
  std::int64_t below = 0, above = 1 << 20, last = 0;
  std::string path;
  for (std::size_t i = 0; i < record_.rows.size(); ++i) {
    EXPECT_EQ(record_.rows[i].id, table_.cases[i].id);
    EXPECT_EQ(record_.rows[i].outcome, Outcome::Measured) << record_.rows[i].reason.text;
    const std::int64_t bytes = table_.cases[i].data.bytes;
    EXPECT_EQ(bytes % 128, 0);
    const std::string here = to_string(*find(table_.cases[i].parameters, "path"));
    if (here == path) {
      EXPECT_GT(bytes, last) << "each curve stays in its order";
    }
    path = here;
    last = bytes;
    if (path != "ca") continue;
    if (bytes <= 200'000) below = std::max(below, bytes);
    if (bytes > 200'000) above = std::min(above, bytes);
  }
  EXPECT_LE(static_cast<double>(above), 1.01 * static_cast<double>(below));
}

TEST_F(Refine, EndsWithTheErrorOfAMeasurement) {
  const auto refined =
      refine_curves(suite_, table_, record_, [](std::size_t) -> Expected<Row> { return fail("device-lost", "gone"); });
  ASSERT_FALSE(refined);
  EXPECT_EQ(refined.error().code, "device-lost");
}

}  // namespace
}  // namespace warpclock
