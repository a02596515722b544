#include "ptx/catalogue/guide.hpp"

#include <gtest/gtest.h>

#include <set>

#include "base/files/embedded.hpp"
#include "base/testing/matchers.hpp"
#include "ptx/catalogue/catalogue.hpp"

namespace warpclock {
namespace {

const Guide& committed_guide() {
  static const Guide guide = must(load_guide(embedded_configs()));
  return guide;
}

/// A guide with one row, whose keys begin on line 5 of guide.yaml.
std::string with_row(const std::string& keys) {
  return "guide: The Guide\nsources: [{name: here, what: a page, url: \"https://x\"}]\nrows:\n"
         "  - row: warp vote\n    short: vote\n" +
         keys;
}

constexpr const char* asks = "    asks: [{operation: any, ids: warp/a}]\n";

TEST(Guide, HasARowForEachOfTheTable) { EXPECT_THAT(committed_guide().rows, SizeIs(26)); }

TEST(Guide, AsksForInstructionsOfTheCatalogue) {
  const Expected<Catalogue> catalogue = load_catalogue(embedded_configs());
  ASSERT_TRUE(catalogue) << catalogue.error().message();
  std::set<std::string> ids;
  for (const CatalogueEntry& entry : catalogue->entries) ids.insert(entry.id);
  for (const GuideRow& row : committed_guide().rows) {
    for (const GuideAsk& ask : row.asks) {
      for (const std::string& id : ask.ids) EXPECT_THAT(ids, Contains(id)) << row.place;
    }
  }
}

TEST(Guide, SaysSomethingOfHopperInEveryRow) {
  for (const GuideRow& row : committed_guide().rows) EXPECT_NE(rate_for(row, Arch{90, true}), nullptr) << row.name;
}

TEST(Guide, ReadsWhatACellSays) {
  const auto guide = must(parse_guide(
      "guide.yaml", with_row("    asks:\n"
                             "      - {operation: any, ids: [warp/a, warp/b], results: 2, because: two of them}\n"
                             "      - {operation: all, ids: warp/c}\n"
                             "    rates:\n"
                             "      - {arch: [sm_80, sm_90], rate: 64.5, source: here, unconfirmed: a guess, why: so,"
                             " of: all}\n"
                             "      - {arch: sm_75, several: true, source: here}\n")));
  EXPECT_EQ(guide.title, "The Guide");
  ASSERT_THAT(guide.rows, SizeIs(1));
  const GuideRow& row = guide.rows.front();
  EXPECT_EQ(row.name, "warp vote");
  EXPECT_EQ(row.brief, "vote");
  EXPECT_EQ(row.place, "guide.yaml:4:5");
  ASSERT_THAT(row.asks, SizeIs(2));
  EXPECT_THAT(row.asks[0].ids, ElementsAre("warp/a", "warp/b"));
  EXPECT_EQ(row.asks[0].results, 2);
  EXPECT_EQ(row.asks[0].because, "two of them");
  EXPECT_EQ(row.asks[1].results, 1);
  const GuideRate* hopper = rate_for(row, Arch{90, true});
  ASSERT_NE(hopper, nullptr);
  EXPECT_EQ(hopper->rate, 64.5);
  EXPECT_EQ(hopper->source, "a page (https://x)");
  EXPECT_EQ(hopper->unconfirmed, "a guess");
  EXPECT_EQ(hopper->why, "so");
  EXPECT_THAT(hopper->of, ElementsAre("all"));
  ASSERT_NE(rate_for(row, Arch{75, false}), nullptr);
  EXPECT_EQ(rate_for(row, Arch{75, false})->rate, 0);
  EXPECT_EQ(rate_for(row, Arch{100, true}), nullptr);
}

TEST(Guide, IsEmptyWhereThereIsNone) {
  EXPECT_TRUE(must(load_guide({{"configs/instructions/fp32.yaml", "family: fp32\n"}})).rows.empty());
}

struct WrongGuide {
  std::string text;
  const char* place;
  const char* problem;
};

class MalformedGuide : public testing::TestWithParam<WrongGuide> {};

TEST_P(MalformedGuide, IsRefusedWhereItIsWrong) {
  const auto guide = load_guide({{"configs/instructions/guide.yaml", GetParam().text}});
  ASSERT_FALSE(guide);
  EXPECT_EQ(guide.error().code, "config");
  EXPECT_EQ(guide.error().place, std::string("configs/instructions/guide.yaml:") + GetParam().place)
      << guide.error().text;
  EXPECT_THAT(guide.error().text, HasSubstr(GetParam().problem));
}

std::string with_rate(const std::string& rate) { return with_row(asks + ("    rates: [" + rate + "]\n")); }
std::string with_asks(const std::string& ask) {
  return with_row("    asks: [" + ask + "]\n    rates: [{arch: sm_90, rate: 1, source: here}]\n");
}

INSTANTIATE_TEST_SUITE_P(
    Cases, MalformedGuide,
    testing::Values(
        WrongGuide{"guide: [", "1:1", "not YAML"},
        WrongGuide{"guide: The Guide\nrows: []\n", "1:1", "missing key 'sources'"},
        WrongGuide{with_row(asks), "4:5", "missing key 'rates'"},
        WrongGuide{with_row(asks) + "    rate: []\n", "7:5", "unknown key 'rate' (did you mean 'rates'?)"},
        WrongGuide{with_asks("{operation: any, ids: []}"), "6:34", "the list is empty"},
        WrongGuide{with_asks("{operation: any, ids: warp/a, results: 2}"), "6:12", "missing key 'because'"},
        WrongGuide{with_asks("{operation: any, ids: warp/a, results: 1, because: so}"), "6:51", "out of range (2 to"},
        WrongGuide{with_rate("{arch: sm_90, rate: 64, source: there}"), "7:45", "unknown source 'there'"},
        WrongGuide{with_rate("{arch: sm_90, rate: 0, source: here}"), "7:33", "0 is not above 0"},
        WrongGuide{with_rate("{arch: sm_90, rate: many, source: here}"), "7:33", "expected a number"},
        WrongGuide{with_rate("{arch: sm_90, source: here}"), "7:13", "missing key 'rate'"},
        WrongGuide{with_rate("{arch: hopper, rate: 64, source: here}"), "7:20", "hopper"},
        WrongGuide{with_rate("{arch: sm_90, rate: 64, several: true, source: here}"), "7:46", "exclude each other"},
        WrongGuide{with_rate("{arch: sm_90, several: false, source: here}"), "7:36", "leave it out"},
        WrongGuide{with_rate("{arch: [sm_90, sm_90a], rate: 64, source: here}"), "7:13", "sm_90a is given twice"},
        WrongGuide{with_rate("{arch: sm_90, rate: 64, source: here, of: any}"), "7:55", "no 'why'"},
        WrongGuide{with_rate("{arch: sm_90, rate: 64, source: here, why: so, of: every}"), "7:64",
                   "unknown value 'every'"},
        WrongGuide{with_rate("{arch: sm_90, rate: 64, source: here}") + "  - row: warp vote\n    short: vote\n" + asks +
                       "    rates: [{arch: sm_90, rate: 64, source: here}]\n",
                   "8:5", "'warp vote' is given twice (first at configs/instructions/guide.yaml:4:5)"}));

}  // namespace
}  // namespace warpclock
