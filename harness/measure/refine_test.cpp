#include "measure/refine.hpp"

#include <gtest/gtest.h>

#include "plan/config/suite.hpp"
#include "plan/plan.hpp"

namespace warpclock {
namespace {

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
    for (std::size_t i = 0; i < table_.cases.size(); ++i) record_.cases.push_back(*measure(i));
    const Probe& probe = suite_.probes.front();
    record_.probes = {{"memory/chase", "memory", probe.asks, probe.chart, probe.along, probe.finds}};
  }

  Expected<CaseRecord> measure(std::size_t i) {
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
  const std::size_t before = record_.cases.size();
  ASSERT_TRUE(refine());
  EXPECT_GT(record_.cases.size(), before + 3) << "more than one round";
  EXPECT_LE(record_.cases.size(), before + 9);
  ASSERT_EQ(table_.cases.size(), record_.cases.size());
  ASSERT_EQ(table_.compiled.size(), record_.cases.size());
  std::int64_t below = 0, above = 1 << 20, last = 0;
  std::string path;
  for (std::size_t i = 0; i < record_.cases.size(); ++i) {
    EXPECT_EQ(record_.cases[i].id, table_.cases[i].id);
    EXPECT_EQ(record_.cases[i].outcome, Outcome::Measured) << record_.cases[i].reason.text;
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
  const auto refined = refine_curves(suite_, table_, record_,
                                     [](std::size_t) -> Expected<CaseRecord> { return fail("device-lost", "gone"); });
  ASSERT_FALSE(refined);
  EXPECT_EQ(refined.error().code, "device-lost");
}

}  // namespace
}  // namespace warpclock
