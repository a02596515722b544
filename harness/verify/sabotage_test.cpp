#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "verify/rules.hpp"
#include "verify/testing/kernels.hpp"
#include "verify/verdict.hpp"

// Kernels that would print a number but have exactly one thing wrong: sources that are compiled like probes, and
// listings of what ptxas sometimes generates but cannot be made to. good.cu and good.sass are the sound ones.

namespace warpclock {
namespace {

constexpr std::int64_t repeats = 16, listed_repeats = 4;

struct Sabotage {
  std::string file;
  std::string rule;  ///< the first rule that it breaks; empty for a sound kernel
  Expectation claim;
};

std::string stem_of(const Sabotage& sabotage) { return sabotage.file.substr(0, sabotage.file.find('.')); }

Expectation chain_of(const std::string& opcode) {
  Expectation claim;
  claim.target = {opcode};
  claim.count = {{std::string("n")}};
  claim.chain = true;
  return claim;
}

Expectation chain_of_shuffles() { return chain_of("SHFL"); }

Expectation chain_of_loads() {
  Expectation claim = chain_of("LDG");
  claim.also = {"IMAD", "MOV"};
  return claim;
}

Expectation one_load_after_a_prefetch() {
  Expectation claim;
  claim.target = {"LDG.E"};
  claim.before = {"CCTL.PF2", "FFMA"};
  claim.delay = Product{{"n", 4}};
  return claim;
}

Expectation changed(Expectation claim, void (*change)(Expectation&)) {
  change(claim);
  return claim;
}

const std::vector<Sabotage>& sabotages() {
  static const std::vector<Sabotage> all{
      {"good.cu", "", chain_of_shuffles()},
      {"good.sass", "", chain_of_shuffles()},
      {"no_close.sass", "two-reads", chain_of_shuffles()},
      {"mixed_clocks.cu", "same-reads", chain_of_shuffles()},
      {"sometimes.sass", "same-reads", chain_of_shuffles()},
      {"copied_window.cu", "no-other-reads", chain_of_shuffles()},
      {"uniform.cu", "repetition", chain_of_shuffles()},
      {"idempotent.cu", "repetition", chain_of_shuffles()},
      {"dead.cu", "repetition", chain_of_shuffles()},
      {"reassociated.cu", "all-links", chain_of("IADD3")},
      {"missing_repetition.cu", "exact-count", chain_of_shuffles()},
      {"lost_companion.sass", "required-companions",
       changed(chain_of_shuffles(),
               [](Expectation& claim) {
                 claim.also = {"FADD"};
                 claim.required = {"FADD"};
               })},
      {"serialized.sass", "counted-companions",
       changed(chain_of_shuffles(),
               [](Expectation& claim) {
                 claim.also = {"DEPBAR"};
                 claim.exactly = {{"DEPBAR", Product{{1}}}};
               })},
      {"swapped_setup.sass", "setup-in-order",
       changed(chain_of_shuffles(),
               [](Expectation& claim) {
                 claim.before = {"CCTL.PF2", "LDG"};
               })},
      {"tight_setup.cu", "", one_load_after_a_prefetch()},
      {"leaky_setup.cu", "no-wait-after-setup", one_load_after_a_prefetch()},
      {"short_delay.cu", "claimed-delay", one_load_after_a_prefetch()},
      {"branch.cu", "straight-path", chain_of_shuffles()},
      {"hoisted.sass", "targets-in-loop", changed(chain_of_shuffles(), [](Expectation& claim) { claim.loop = true; })},
      {"foreign.cu", "declared-opcodes", chain_of_shuffles()},
      {"split_chain.cu", "dependent-chain", chain_of_shuffles()},
      {"no_consumer.cu", "closed-window", chain_of_shuffles()},
      {"outstanding_load.cu", "nothing-outstanding", chain_of_shuffles()},
      {"late_fence.cu", "", chain_of_loads()},
      {"early_fence.cu", "l1-kept", chain_of_loads()},
      {"one_bank.cu", "claimed-operands",
       changed(chain_of("FFMA"),
               [](Expectation& claim) {
                 claim.operands = Operands{.in_one_bank = {{1, {95, 100}}}, .reuse = {}};
               })},
  };
  return all;
}

const Rule* rule_called(const std::string& name) {
  const auto at = std::ranges::find(rules(), name, &Rule::name);
  return at == rules().end() ? nullptr : &*at;
}

void expect_first_broken(const Verdict& verdict, const Sabotage& sabotage) {
  const Rule* rule = rule_called(sabotage.rule);
  EXPECT_EQ(verdict.rule, sabotage.rule) << verdict.text;
  EXPECT_EQ(verdict.code, rule == nullptr ? "verified" : rule->code);
  EXPECT_EQ(verdict.text.empty(), verdict.verified());
}

std::string without_comments(const std::string& text) {
  std::string out;
  for (const std::string& line : lines(text)) out += line.starts_with("//") ? "" : line + "\n";
  return out;
}

TEST(Sabotage, EachSourceBreaksItsRuleOnEachArchitecture) {
  std::set<std::string> files;
  for (const Sabotage& sabotage : sabotages()) {
    if (sabotage.file.ends_with(".cu")) files.insert(stem_of(sabotage));
  }
  const auto listings =
      testing::compile_kernels("sabotage", files, repeats, [](const Arch&, const std::string&) { return true; });
  ASSERT_EQ(listings.size(), files.size() * verified_archs().size());
  for (const Arch& arch : verified_archs()) {
    for (const Sabotage& sabotage : sabotages()) {
      if (!sabotage.file.ends_with(".cu")) continue;
      SCOPED_TRACE(sabotage.file + " on " + to_string(arch));
      const Listing& listing = listings.at({arch, stem_of(sabotage)});
      expect_first_broken(verify(listing, sabotage.claim, {}, repeats), sabotage);
    }
  }
}

TEST(Sabotage, EachListingBreaksItsRule) {
  for (const Sabotage& sabotage : sabotages()) {
    if (!sabotage.file.ends_with(".sass")) continue;
    SCOPED_TRACE(sabotage.file);
    const Listing listing =
        testing::make_listing(without_comments(testing::read("harness/verify/testdata/sabotage/" + sabotage.file)));
    expect_first_broken(verify(listing, sabotage.claim, {}, listed_repeats), sabotage);
  }
}

TEST(Sabotage, EveryRuleHasAKernelThatBreaksIt) {
  for (const Rule& rule : rules()) {
    const bool guarded = std::ranges::any_of(
        sabotages(), [&](const Sabotage& each) { return each.file == rule.guard && each.rule == rule.name; });
    EXPECT_TRUE(guarded) << rule.name << ": " << rule.guard;
  }
}

/// Expects docs/rules.md to match the rules. WARPCLOCK_ACCEPT=1 in the environment writes the file.
TEST(Sabotage, TheRulesAreInTheDocumentation) {
  std::string text =
      "# The rules of a verdict\n\nA window is verified when it breaks none of these, in this order. The guard is the "
      "kernel in\n`harness/verify/testdata/sabotage/` whose first broken rule this is. `verify_test` writes this file "
      "from\n`harness/verify/rules.cpp`.\n\n| rule | code | guard | claim and its tolerance |\n|---|---|---|---|\n";
  for (const Rule& rule : rules())
    text += fmt::format("| {} | `{}` | `{}` | {}{}{} |\n", rule.name, rule.code, rule.guard, rule.claim,
                        rule.allows.empty() ? "" : " ", rule.allows);
  const std::string path = WARPCLOCK_SOURCE_DIR "/docs/rules.md";
  if (std::getenv("WARPCLOCK_ACCEPT") != nullptr) testing::write(path, text);
  EXPECT_EQ(testing::read("docs/rules.md"), text) << "WARPCLOCK_ACCEPT=1 verify_test writes it";
}

}  // namespace
}  // namespace warpclock
