#include <gtest/gtest.h>

#include "verify/testing/kernels.hpp"
#include "verify/verdict.hpp"

// Kernels that would print a number, each with one thing wrong, compiled as a probe is and judged.
// testdata/sabotage/good.cu is the sound one that the others differ from.

namespace warpclock {
namespace {

constexpr std::int64_t repeats = 16;

struct Sabotage {
  std::string file, code;
  std::vector<std::string> target{"SHFL"};
  std::optional<Operands> operands{};
  std::optional<Product> delay{};  ///< of one load behind a prefetch
};

Expectation expectation_of(const Sabotage& sabotage) {
  Expectation expect;
  expect.target = sabotage.target;
  expect.operands = sabotage.operands;
  expect.delay = sabotage.delay;
  if (sabotage.delay) {
    expect.before = {"CCTL.PF2", "FFMA"};
    return expect;
  }
  expect.count = {{std::string("n")}};
  expect.chain = true;
  return expect;
}

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
      {"one_bank", "operands", {"FFMA"}, Operands{.in_one_bank = {{1, {95, 100}}}, .reuse = {}}},
      {"tight_setup", "verified", {"LDG.E"}, {}, {{Product{{"n", 4}}}}},
      {"leaky_setup", "leaky-setup", {"LDG.E"}, {}, {{Product{{"n", 4}}}}},
      {"short_delay", "leaky-setup", {"LDG.E"}, {}, {{Product{{"n", 4}}}}},
  };
  return all;
}

TEST(Sabotage, EachIsRejectedWithItsOwnReasonOnEachArchitecture) {
  std::set<std::string> files;
  for (const Sabotage& sabotage : sabotages()) files.insert(sabotage.file);
  const auto listings =
      testing::compile_kernels("sabotage", files, repeats, [](const Arch&, const std::string&) { return true; });
  ASSERT_EQ(listings.size(), sabotages().size() * verified_archs().size());
  for (const Arch& arch : verified_archs()) {
    for (const Sabotage& sabotage : sabotages()) {
      SCOPED_TRACE(sabotage.file + " on " + to_string(arch));
      const Verdict verdict = verify(listings.at({arch, sabotage.file}), expectation_of(sabotage), {}, repeats);
      EXPECT_EQ(verdict.code, sabotage.code) << verdict.text;
      EXPECT_EQ(verdict.text.empty(), verdict.verified());
    }
  }
}

}  // namespace
}  // namespace warpclock
