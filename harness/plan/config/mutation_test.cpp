#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <string_view>

#include "base/testing/mutator.hpp"
#include "plan/config/stanza.hpp"
#include "plan/plan.hpp"
#include "plan/testing/corpus.hpp"

namespace warpclock {
namespace {

/// Pieces of configs, and text that breaks YAML readers.
constexpr std::array<std::string_view, 44> words = {"{",
                                                    "}",
                                                    "[",
                                                    "]",
                                                    ":",
                                                    ",",
                                                    "\"",
                                                    "'",
                                                    "\n",
                                                    "- ",
                                                    "  ",
                                                    "&a ",
                                                    "*a ",
                                                    "<<: *a",
                                                    "!!int ",
                                                    "? ",
                                                    "---\n",
                                                    "...\n",
                                                    "|\n",
                                                    ">-\n",
                                                    "#",
                                                    "%YAML 1.2\n",
                                                    "\t",
                                                    "\r\n",
                                                    "\xc3",
                                                    "\0",
                                                    "n",
                                                    "sms",
                                                    "~",
                                                    "null",
                                                    "true",
                                                    "0x1f",
                                                    "-1",
                                                    "1e999",
                                                    "99999999999999999999",
                                                    "{pow2: [1, 1099511627776]}",
                                                    "{MODE}",
                                                    "{",
                                                    "sm_90a",
                                                    "sweep:",
                                                    "window:",
                                                    "points:",
                                                    "where:",
                                                    "family: g\n"};

/// Any text either is refused with one error that has a place, or is a suite that plans on every architecture.
void check(const std::string& text, const std::string& counters, unsigned seed, int& accepted) {
  const auto suite = load_suite({{"configs/f.yaml", text}, {"configs/counters.yaml", counters}});
  if (!suite) {
    EXPECT_EQ(suite.error().code, "config") << seed;
    EXPECT_THAT(suite.error().place, ::testing::MatchesRegex("configs/(f|counters)\\.yaml:[0-9]+:[0-9]+")) << seed;
    EXPECT_FALSE(suite.error().text.empty()) << seed;
    EXPECT_EQ(suite.error().text.find('\n'), std::string::npos) << seed;
    return;
  }
  ++accepted;
  for (const Arch& arch : {Arch{70, false}, Arch{80, false}, Arch{90, true}, Arch{999, true}}) {
    const auto cases = plan(*suite, arch);
    EXPECT_TRUE(cases) << seed << ": " << cases.error().message() << "\n" << text;
  }
}

TEST(Mutation, OfTheTemplatesNeverCrashesAndNeverPlansHalfACase) {
  constexpr unsigned rounds = 4000;
  int accepted = 0;
  for (unsigned seed = 0; seed < rounds; ++seed) {
    testing::Mutator mutator(words, seed);
    const bool metrics = seed % 8 == 0;
    check(metrics ? corpus::family() : mutator.mutate(corpus::family()),
          metrics ? mutator.mutate(corpus::metrics()) : corpus::metrics(), seed, accepted);
  }
  EXPECT_GT(accepted, 100) << "mutations that are all refused at once test little";
  EXPECT_LT(accepted, 2000);
}

TEST(Mutation, OfTheCommittedConfigsNeverCrashesAndNeverPlansHalfACase) {
  const corpus::Configs configs = corpus::committed();
  const std::string& counters = configs.at("configs/counters.yaml");
  int accepted = 0;
  for (const auto& [path, text] : configs) {
    if (path == "configs/counters.yaml" || path.contains("instructions/")) continue;
    for (unsigned seed = 0; seed < 40; ++seed)
      check(testing::Mutator(words, seed).mutate(text), counters, seed, accepted);
  }
}

}  // namespace
}  // namespace warpclock
