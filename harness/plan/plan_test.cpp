#include "plan/plan.hpp"

#include <gtest/gtest.h>

#include "base/testing/matchers.hpp"
#include "plan/config/stanza.hpp"
#include "plan/testing/corpus.hpp"

namespace warpclock {
namespace {

using Ids = std::vector<std::string>;

Suite suite_of(const std::string& text) { return must(load_suite({{"configs/f.yaml", text}})); }

/// Two probes: f/slow[a=1..3] in full, f/quick in both suites.
const Suite& two() {
  static const Suite suite = suite_of(R"(family: f
probes:
  - name: slow
    asks: Why?
    sweep: {a: [1, 2, 3]}
    window: {target: ABC}
    measures: [{name: m, method: elapsed, unit: cycles}]
  - name: quick
    asks: Why?
    suites: [smoke, full]
    needs: {min: sm_90, why: ABC is sm_90 and later}
    window:
      - {archs: [sm_90a], target: ABC.X}
      - {target: ABC}
    measures: [{name: m, method: elapsed, unit: cycles}]
)");
  return suite;
}

Ids ids(const Expected<std::vector<Case>>& cases) {
  Ids all;
  if (!cases) return {cases.error().message()};
  for (const Case& one : *cases) all.push_back(one.id);
  return all;
}

TEST(Plan, NamesCasesByProbeAndPoint) {
  EXPECT_EQ(ids(plan(two(), {90, true})), (Ids{"f/slow[a=1]", "f/slow[a=2]", "f/slow[a=3]", "f/quick"}));
  EXPECT_EQ(ids(plan(two(), {90, true}, {"smoke", {}})), Ids{"f/quick"});
}

TEST(Plan, FiltersBySubstringOrGlob) {
  const auto filtered = [](Ids patterns) { return ids(plan(two(), {90, true}, {"full", std::move(patterns)})); };
  EXPECT_EQ(filtered({"a=2"}), Ids{"f/slow[a=2]"});
  EXPECT_EQ(filtered({"slow[a=3", "quick"}), (Ids{"f/slow[a=3]", "f/quick"}));
  EXPECT_EQ(filtered({"f/s*"}), (Ids{"f/slow[a=1]", "f/slow[a=2]", "f/slow[a=3]"}));
  EXPECT_EQ(filtered({"*quick", "*a=1]"}), (Ids{"f/slow[a=1]", "f/quick"}));
  EXPECT_EQ(filtered({"slow", "a=1"}).size(), 3U) << "a case that two patterns match is there once";
}

TEST(Plan, EverySuiteHasEachCaseOnce) {
  const auto cases = must(plan(two(), Arch{90, true}, {every_suite, {}}));
  EXPECT_EQ(ids(cases), (Ids{"f/slow[a=1]", "f/slow[a=2]", "f/slow[a=3]", "f/quick"}));
}

TEST(Plan, SeveralSuitesHaveEachCaseOnce) {
  EXPECT_EQ(ids(plan(two(), {90, true}, {"smoke,full", {}})).size(), 4U);
  EXPECT_EQ(plan(two(), {90, true}, {"smoke,fulll", {}}).error().text, "unknown suite 'fulll' (did you mean 'full'?)");
  EXPECT_FALSE(plan(two(), {90, true}, {"smoke,", {}}));
}

TEST(Plan, SamplesTheFirstMiddleAndLastCaseOfEachProbeWhereItRuns) {
  const Suite five = suite_of(R"(family: f
probes:
  - name: five
    asks: Why?
    sweep: {a: [1, 2, 3, 4, 5]}
    window: {target: ABC}
    measures: [{name: m, method: elapsed, unit: cycles}]
)");
  EXPECT_EQ(ids(sample(plan(five, Arch{90, true}).value())), (Ids{"f/five[a=1]", "f/five[a=3]", "f/five[a=5]"}));
  EXPECT_EQ(ids(sample(plan(two(), Arch{80, false}).value())), (Ids{"f/slow[a=1]", "f/slow[a=2]", "f/slow[a=3]"}))
      << "quick needs sm_90";
}

TEST(Plan, APatternThatMatchesNothingIsAnErrorThatNamesWhatIsNear) {
  const auto wrong = [](const Filter& filter) {
    const auto cases = plan(two(), {90, true}, filter);
    return cases ? Error{"none", "", ""} : cases.error();
  };
  EXPECT_EQ(wrong({"full", {"f/quik"}}).code, "filter");
  EXPECT_EQ(wrong({"full", {"f/quik"}}).text, "'f/quik' matches no case (did you mean 'f/quick'?)");
  EXPECT_EQ(wrong({"full", {"quick", "mma"}}).text, "'mma' matches no case (one of f/slow, f/quick)");
  EXPECT_EQ(wrong({"smoke", {"slow"}}).text, "'slow' matches no case of suite 'smoke', but some of suite 'full'");
  EXPECT_EQ(wrong({"full", {"smoke"}}).text, "'smoke' is a suite, and matches no case: --suite smoke");
  EXPECT_EQ(wrong({"smok", {}}).text, "unknown suite 'smok' (did you mean 'smoke'?)");
}

TEST(Plan, SkipsWhatTheArchitectureLacks) {
  const auto cases = must(plan(two(), {80, false}, {"smoke", {}}));
  ASSERT_EQ(cases.size(), 1U);
  ASSERT_TRUE(cases.front().skip);
  EXPECT_EQ(cases.front().skip->code, "unsupported-arch");
  EXPECT_EQ(cases.front().skip->text, "ABC is sm_90 and later");
  EXPECT_FALSE(plan(two(), {100, true}, {"smoke", {}})->front().skip);
}

TEST(Plan, TakesTheFirstWindowThatIsForTheCase) {
  EXPECT_EQ(plan(two(), {90, true}, {"smoke", {}})->front().expect.target, Ids{"ABC.X"});
  EXPECT_EQ(plan(two(), {90, false}, {"smoke", {}})->front().expect.target, Ids{"ABC"});
  EXPECT_EQ(plan(two(), {103, true}, {"smoke", {}})->front().expect.target, Ids{"ABC"});
}

TEST(Plan, NeedsOfOneArchitectureLeaveOutTheOthers) {
  const Suite suite = suite_of(R"(family: f
probes:
  - name: p
    asks: Why?
    needs: {only: [sm_90a], why: wgmma is sm_90a alone}
    window: {archs: [sm_90a], target: HGMMA}
    measures: [{name: m, method: elapsed, unit: cycles}]
)");
  EXPECT_FALSE(plan(suite, {90, true})->front().skip);
  EXPECT_TRUE(plan(suite, {90, false})->front().skip);
  EXPECT_TRUE(plan(suite, {100, true})->front().skip);
}

TEST(Plan, NeedsOfSomePointsLeaveOutTheOthers) {
  const Suite suite = suite_of(R"(family: f
probes:
  - name: p
    asks: Why?
    needs:
      - {only: [sm_100a, sm_103a], why: ABC is Blackwell}
      - {when: [{kind: i8}], only: [sm_100a], why: ABC of i8 is sm_100a alone}
    sweep: {kind: [f16, i8]}
    window: {target: ABC}
    measures: [{name: m, method: elapsed, unit: cycles}]
)");
  const auto skips = [&](const Arch& arch) {
    std::vector<std::string> all;
    for (const Case& one : must(plan(suite, arch))) all.push_back(one.skip ? one.skip->text : "");
    return all;
  };
  EXPECT_THAT(skips({100, true}), ElementsAre("", ""));
  EXPECT_THAT(skips({103, true}), ElementsAre("", "ABC of i8 is sm_100a alone"));
  EXPECT_THAT(skips({90, true}), ElementsAre("ABC is Blackwell", "ABC is Blackwell"));
}

TEST(Plan, RefusesASuiteThatTheLoaderWould) {
  Suite broken = two();
  broken.probes[0].launch.warps.factors = {"wraps"};
  EXPECT_EQ(failure_of(plan(broken, {90, true})).message(), "configs/f.yaml:3:5: unknown parameter 'wraps' (one of a)");
  Suite bare = two();
  bare.probes[1].windows.clear();
  EXPECT_EQ(plan(bare, {90, true}).error().text, "no window for sm_90a");
}

TEST(Matches, StarsStandForAnything) {
  EXPECT_TRUE(matches("", "abc"));
  EXPECT_TRUE(matches("*", ""));
  EXPECT_TRUE(matches("a*c", "abbc"));
  EXPECT_TRUE(matches("a*c", "ac"));
  EXPECT_TRUE(matches("*b*b*", "abcb"));
  EXPECT_TRUE(matches("*ab", "aab"));
  EXPECT_TRUE(matches("**c", "abc"));
  EXPECT_FALSE(matches("a*c", "abcd"));
  EXPECT_FALSE(matches("b*", "abc"));
  EXPECT_FALSE(matches("*b*b*", "abc"));
  EXPECT_FALSE(matches("a*", ""));
}

/// The definition of matching, by recursion.
bool matches_slowly(std::string_view pattern, std::string_view id) {
  if (pattern.empty()) return id.empty();
  if (pattern.front() == '*') {
    return matches_slowly(pattern.substr(1), id) || (!id.empty() && matches_slowly(pattern, id.substr(1)));
  }
  return !id.empty() && pattern.front() == id.front() && matches_slowly(pattern.substr(1), id.substr(1));
}

std::string spelled(int number, std::string_view letters) {
  std::string text;
  for (; number > 0; number /= static_cast<int>(letters.size()) + 1) {
    const int digit = number % (static_cast<int>(letters.size()) + 1);
    if (digit > 0) text += letters[static_cast<std::size_t>(digit) - 1];
  }
  return text;
}

TEST(Matches, AgreesWithTheDefinitionOnEveryShortPattern) {
  for (int p = 0; p < 1024; ++p) {
    const std::string pattern = spelled(p, "a*b");
    if (!pattern.contains('*')) continue;
    for (int i = 0; i < 243; ++i) {
      const std::string id = spelled(i, "ab");
      EXPECT_EQ(matches(pattern, id), matches_slowly(pattern, id)) << pattern << " on " << id;
    }
  }
}

}  // namespace
}  // namespace warpclock
