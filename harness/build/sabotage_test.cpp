#include <gmock/gmock.h>

#include <map>

#include "build/build.hpp"
#include "build/fixture.hpp"
#include "build/listing_fixture.hpp"
#include "build/verdict.hpp"

// Kernels that would print a number, each with one thing wrong, compiled as a probe is and judged.
// testdata/sabotage/good.cu is the sound one that the others differ from.

namespace warpclock {
namespace {

constexpr std::int64_t repeats = 16;

struct Sabotage {
  std::string file, code;
  std::vector<std::string> target{"SHFL"};
};

const std::vector<Sabotage>& sabotages() {
  static const std::vector<Sabotage> all{
      {"good", "verified"},
      {"uniform", "folded"},
      {"idempotent", "folded"},
      {"dead", "folded"},
      {"no_consumer", "open-window"},
      {"outstanding_load", "leaky-window"},
      {"mixed_clocks", "clock-mismatch"},
      {"copied_window", "clock-mismatch"},
      {"foreign", "foreign-opcode"},
      {"branch", "foreign-opcode"},
      {"missing_repetition", "count"},
      {"reassociated", "broken-chain", {"IADD3"}},
      {"split_chain", "broken-chain"},
  };
  return all;
}

TEST(Sabotage, EachIsRejectedWithItsOwnReasonOnEachArchitecture) {
  const testing::TemporaryFolder cache;
  Sources sources{{"probe.cuh", embedded_probes().at("probe.cuh")}};
  std::vector<Case> cases;
  std::vector<const Sabotage*> of_case;
  for (const Arch& arch : verified_archs()) {
    for (const Sabotage& sabotage : sabotages()) {
      const std::string path = "sabotage/" + sabotage.file + ".cu";
      sources[path] = testing::read("harness/build/testdata/" + path);
      cases.push_back(testing::make_case(path, to_string(arch), {repeats}));
      of_case.push_back(&sabotage);
    }
  }
  BuildOptions options;
  options.cache_dir = cache.path();
  const auto builds = build(cases, sources, options);
  ASSERT_EQ(builds.size(), cases.size());
  for (std::size_t i = 0; i < builds.size(); ++i) {
    SCOPED_TRACE(cases[i].kernel + " on " + to_string(cases[i].arch));
    ASSERT_TRUE(builds[i]) << builds[i].error().message();
    Expectation expect;
    expect.target = of_case[i]->target;
    expect.count = {{std::string("n")}};
    expect.chain = true;
    const Verdict verdict = verify(builds[i]->kernels.at(0).listing, expect, {}, repeats);
    EXPECT_EQ(verdict.code, of_case[i]->code) << verdict.text;
    EXPECT_EQ(verdict.text.empty(), verdict.verified());
  }
}

}  // namespace
}  // namespace warpclock
