#include <gmock/gmock.h>

#include "build/build.hpp"
#include "build/fixture.hpp"
#include "build/listing_fixture.hpp"
#include "build/verdict.hpp"

// Sound kernels of many kinds, compiled and judged by true claims and by false ones.

namespace warpclock {
namespace {

constexpr std::int64_t repeats = 8;

struct Claim {
  std::string file;
  Expectation expect;
  std::string code = "verified";
  int min_sm = 80;
  std::map<int, double> encoded;  ///< per architecture: cycles a link
  std::int64_t groups_in_flight = 0;
};

const Product n{{std::string("n")}};

Expectation chain(std::vector<std::string> target, std::optional<int> operand, std::vector<std::string> also = {}) {
  Expectation expect;
  expect.target = std::move(target);
  expect.count = n;
  expect.also = std::move(also);
  expect.chain = true;
  expect.operand = operand;
  return expect;
}

Expectation closed_by(Close close, std::vector<std::string> target, std::vector<std::string> also) {
  Expectation expect;
  expect.target = std::move(target);
  expect.count = n;
  expect.also = std::move(also);
  expect.close = close;
  return expect;
}

Expectation four_chains() {
  Expectation expect = chain({"FFMA"}, std::nullopt);
  expect.count = {{std::int64_t{4}, std::string("n")}};
  return expect;
}

Expectation rolled() {
  Expectation expect =
      chain({"SHF.L.W"}, std::nullopt, {"IADD3", "VIADD", "UIADD3", "ISETP", "UISETP", "MOV", "IMAD.MOV", "UMOV"});
  expect.count = {};
  expect.depth = {{std::int64_t{1}}};
  expect.loop = true;
  return expect;
}

std::vector<Claim> claims() {
  const std::vector<std::string> moves{"MOV", "IMAD.MOV", "IMAD.U32"};
  const std::vector<std::string> copies{"LDGDEPBAR", "DEPBAR", "LDS", "IADD", "IADD3", "IMAD.X"};
  const auto hmma = [](int operand) { return chain({"HMMA.16816.F32"}, operand); };
  const auto dfma = [&](int operand) { return chain({"DFMA"}, operand, moves); };
  Expectation stored = closed_by(Close::Memory, {"STSM.16.M88.4"}, {"LDS"});
  return {
      {"ffma", four_chains(), "verified", 80, {{90, 4}}},
      {"dfma", dfma(2), "verified"},
      {"dfma", dfma(0), "broken-chain"},
      {"hmma", hmma(2), "verified", 80, {{80, 24}, {90, 24}, {100, 20}, {120, 29}}},
      {"hmma", hmma(0), "broken-chain"},
      {"hmma", chain({"HMMA.1688.F32"}, 2), "folded"},
      {"imma", chain({"IMMA.16816.S8.S8"}, 1), "verified", 80, {{90, 16}}},
      {"imma", chain({"IMMA.16816.S8.S8"}, 2), "broken-chain"},
      {"ldmatrix", chain({"LDSM.16.M88.4"}, 0), "verified"},
      {"stmatrix", stored, "verified", 90},
      {"stmatrix", closed_by(Close::Result, {"STSM"}, {"LDS"}), "open-window", 90},
      {"stmatrix", closed_by(Close::Memory, {"STSM"}, {}), "foreign-opcode", 90},
      {"pointer_chase", chain({"LDG.64"}, 0, moves), "verified"},
      {"cp_async", closed_by(Close::Memory, {"LDGSTS.E.BYPASS.128"}, copies), "verified"},
      {"cp_async", closed_by(Close::Result, {"LDGSTS"}, copies), "open-window"},
      {"cp_async", closed_by(Close::Issue, {"LDGSTS"}, copies), "verified"},
      {"cp_async", closed_by(Close::Memory, {"LDGSTS"}, copies), "open-window", 80, {}, 1},
      {"atomic", chain({"ATOMS.ADD"}, 1), "verified"},
      {"redux", chain({"REDUX.SUM"}, 0, {"LOP3", "MOV", "IMAD.U32"}), "verified"},
      {"redux", chain({"REDUX.SUM"}, 0, {"LOP3"}), "foreign-opcode"},
      {"vote", chain({"VOTE.ANY"}, std::nullopt, {"ISETP"}), "verified"},
      {"match", chain({"MATCH.ALL"}, 0, {"LOP3"}), "verified"},
      {"loop", rolled(), "verified"},
  };
}

TEST(Windows, AreJudgedAsTheyAreOnEachArchitecture) {
  const testing::TemporaryFolder cache;
  const std::vector<Claim> all = claims();
  Sources sources{{"probe.cuh", embedded_probes().at("probe.cuh")}};
  std::vector<Case> cases;
  std::vector<const Claim*> of_case;
  for (const Arch& arch : verified_archs()) {
    for (const Claim& claim : all) {
      if (arch.sm < claim.min_sm) continue;
      const std::string path = "windows/" + claim.file + ".cu";
      sources[path] = testing::read("harness/build/testdata/" + path);
      cases.push_back(
          testing::make_case(path, to_string(arch), {repeats}, {{"groups_in_flight", claim.groups_in_flight}}));
      of_case.push_back(&claim);
    }
  }
  BuildOptions options;
  options.cache_dir = cache.path();
  const auto builds = build(cases, sources, options);
  for (std::size_t i = 0; i < builds.size(); ++i) {
    const Claim& claim = *of_case[i];
    SCOPED_TRACE(cases[i].kernel + " on " + to_string(cases[i].arch) + ", to be " + claim.code);
    ASSERT_TRUE(builds[i]) << builds[i].error().message();
    const Verdict verdict = verify(builds[i]->kernels.at(0).listing, claim.expect, {}, repeats);
    EXPECT_EQ(verdict.code, claim.code) << verdict.text;
    const auto encoded = claim.encoded.find(cases[i].arch.sm);
    if (encoded != claim.encoded.end()) EXPECT_EQ(verdict.encoded_cycles, encoded->second);
  }
}

}  // namespace
}  // namespace warpclock
