#include <gtest/gtest.h>

#include "verify/testing/kernels.hpp"
#include "verify/verdict.hpp"

// Sound kernels of many kinds, compiled and judged against true claims and false ones.

namespace warpclock {
namespace {

constexpr std::int64_t window_repeats = 8;

struct Claim {
  std::string file;
  Expectation expect;
  std::string code = "verified";
  std::map<int, double> encoded;  ///< per architecture: cycles a link
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
      {"ffma", four_chains(), "verified", {{90, 4}}},
      {"dfma", dfma(2), "verified"},
      {"dfma", dfma(0), "broken-chain"},
      {"hmma", hmma(2), "verified", {{80, 24}, {90, 24}, {100, 20}, {120, 29}}},
      {"hmma", hmma(0), "broken-chain"},
      {"hmma", chain({"HMMA.1688.F32"}, 2), "folded"},
      {"imma", chain({"IMMA.16816.S8.S8"}, 1), "verified", {{90, 17}}},
      {"imma", chain({"IMMA.16816.S8.S8"}, 2), "broken-chain"},
      {"ldmatrix", chain({"LDSM.16.M88.4"}, 0), "verified"},
      {"stmatrix", stored, "verified"},
      {"stmatrix", closed_by(Close::Result, {"STSM"}, {"LDS"}), "open-window"},
      {"stmatrix", closed_by(Close::Memory, {"STSM"}, {}), "foreign-opcode"},
      {"pointer_chase", chain({"LDG.64"}, 0, moves), "verified"},
      {"cp_async", closed_by(Close::Memory, {"LDGSTS.E.BYPASS.128"}, copies), "verified"},
      {"cp_async", closed_by(Close::Result, {"LDGSTS"}, copies), "open-window"},
      {"cp_async", closed_by(Close::Issue, {"LDGSTS"}, copies), "verified"},
      {"cp_async_in_flight", closed_by(Close::Memory, {"LDGSTS"}, copies), "open-window"},
      {"atomic", chain({"ATOMS.ADD"}, 1), "verified"},
      {"redux", chain({"REDUX.SUM"}, 0, {"LOP3", "MOV", "IMAD.U32"}), "verified"},
      {"redux", chain({"REDUX.SUM"}, 0, {"LOP3"}), "foreign-opcode"},
      {"vote", chain({"VOTE.ANY"}, std::nullopt, {"ISETP"}), "verified"},
      {"match", chain({"MATCH.ALL"}, 0, {"LOP3"}), "verified"},
      {"loop", rolled(), "verified"},
  };
}

TEST(Windows, AreJudgedAsTheyAreOnEachArchitecture) {
  std::set<std::string> files;
  for (const Claim& claim : claims()) files.insert(claim.file);
  const auto has = [](const Arch& arch, const std::string& file) { return file != "stmatrix" || arch.sm >= 90; };
  const auto listings = testing::compile_kernels("windows", files, window_repeats, has);
  for (const auto& [key, listing] : listings) {
    for (const Claim& claim : claims()) {
      if (claim.file != key.second) continue;
      SCOPED_TRACE(claim.file + " on " + to_string(key.first) + ", to be " + claim.code);
      const Verdict verdict = verify(listing, claim.expect, {}, window_repeats);
      EXPECT_EQ(verdict.code, claim.code) << verdict.text;
      if (const auto encoded = claim.encoded.find(key.first.sm); encoded != claim.encoded.end()) {
        EXPECT_EQ(verdict.encoded_cycles, encoded->second);
      }
    }
  }
  EXPECT_EQ(listings.size(), files.size() * verified_archs().size() - 1);
}

}  // namespace
}  // namespace warpclock
