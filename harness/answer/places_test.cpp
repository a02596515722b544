#include <gtest/gtest.h>

#include "answer/words/page_words.hpp"
#include "base/testing/matchers.hpp"
#include "record/features.hpp"
#include "record/json/record_json.hpp"
#include "record/trace.hpp"

namespace warpclock {
namespace {

Row row(std::int64_t line, std::vector<double> places) {
  Row made;
  made.id = "memory/sm_map[line=" + std::to_string(line) + "]";
  made.probe = "memory/sm_map";
  made.family = "memory";
  made.parameters = {{"line", line}};
  made.measures = {{"load", Method::Elapsed, "cycles"}};
  made.estimates = {{"load", 280, 280, 280, "cycles", "elapsed", 7, ""}};
  made.places = std::move(places);
  return made;
}

Record record_of(std::vector<Row> rows, FeatureQuery::What what) {
  Record record;
  record.probes = {{"memory/sm_map", "memory", "?", {}, "line", {{"load", what, "places", {}}}}};
  record.rows = std::move(rows);
  return record;
}

TEST(Places, MeansLeaveOutWhatDidNotReport) {
  const Row one = row(0, {10, 20, 0}), two = row(1, {30, 0, 0, 8});
  EXPECT_THAT(place_means({&one, &two}), ElementsAre(20, 20, 0, 8));
}

TEST(Places, GroupsAreOfTheSameValue) {
  const auto groups = place_groups({4, 0, 2, 4, 2, 4});
  ASSERT_THAT(groups, SizeIs(2));
  EXPECT_THAT(groups[0].places, ElementsAre(0, 3, 5));
  EXPECT_THAT(groups[1].places, ElementsAre(2, 4));
}

TEST(Places, AreCountedByTheirGroups) {
  const auto features = find_features(record_of({row(0, {4, 4, 2, 2, 2, 9})}, FeatureQuery::What::Groups));
  ASSERT_THAT(features, SizeIs(1));
  EXPECT_EQ(features[0].name, "load.groups");
  EXPECT_EQ(features[0].value, 3);
  EXPECT_EQ(features[0].note, "places: 1 of 3, 1 of 2, 1 of 1");
}

TEST(Places, AreNearOrFarByTheSideThatALineIsOn) {
  std::vector<Row> rows;
  for (int line = 0; line < 16; ++line) {
    std::vector<double> places;
    for (int sm = 0; sm < 60; ++sm) {
      const bool far = (sm % 4 < 2) != (line % 3 == 0);
      places.push_back((far ? 300 : 270) + (sm * 7 + line * 3) % 5 + (sm == 41 ? 150 : 0));
    }
    rows.push_back(row(line, places));
  }
  const auto features = find_features(record_of(rows, FeatureQuery::What::Spread));
  const auto named = [&](const char* name) {
    const auto found = std::ranges::find(features, name, &Feature::name);
    return found == features.end() ? Feature{} : *found;
  };
  EXPECT_NEAR(named("load.near").value, 272, 2);
  EXPECT_NEAR(named("load.far").value, 302, 2);
  EXPECT_THAT(named("load.near").note, HasSubstr("two sides, with 30 and 30 places, and 6 and 10 of the points"));
  EXPECT_THAT(named("load.place.outlier").note, HasSubstr("place 41,"));
}

TEST(Places, ThatAreOnNoSidesFallIntoClasses) {
  std::vector<Row> rows;
  for (int line = 0; line < 16; ++line) {
    std::vector<double> places;
    for (int sm = 0; sm < 60; ++sm) places.push_back((sm < 30 ? 210 : 280) + (sm * 7 + line * 3) % 5);
    rows.push_back(row(line, places));
  }
  std::vector<std::string> names;
  for (const Feature& feature : find_features(record_of(rows, FeatureQuery::What::Spread)))
    names.push_back(feature.name);
  EXPECT_THAT(names, ElementsAre("load.class1", "load.class2", "load.place.class1", "load.place.class2"));
}

TEST(Places, AndOtherGpusComeBackFromJson) {
  Record record = record_of({row(0, {210, 0, 280.5}), row(1, {})}, FeatureQuery::What::Groups);
  record.device = {.name = "NVIDIA H200", .slug = "nvidia-h200", .arch = "sm_90a"};
  record.device.peers = {"NVIDIA H200, native atomics"};
  const auto back = must(parse_record(to_json(record), "result.json"));
  EXPECT_THAT(back.rows[0].places, ElementsAre(210, 0, 280.5));
  EXPECT_THAT(back.rows[1].places, IsEmpty());
  EXPECT_EQ(back.device.peers, record.device.peers);
  EXPECT_EQ(back.probes[0].finds, record.probes[0].finds);
}

TEST(Places, AreInTheOrderOfTheirMeansForAMap) {
  const Record record = record_of({row(0, {210, 280, 0, 300}), row(1, {215, 275, 0, 290})}, FeatureQuery::What::Spread);
  ProbeOutline probe{.probe = record.probes[0]};
  for (const Row& one : record.rows) probe.cases.push_back(&one);
  const Json words = probe_words(record, probe);
  EXPECT_EQ(words["places"]["order"], json_of("[0, 1, 3]")) << "place 2 did not report";
  EXPECT_EQ(words["places"]["low"], 210);
  EXPECT_EQ(words["places"]["high"], 300);
  EXPECT_FALSE(probe_words(record, ProbeOutline{.probe = record.probes[0]}).contains("places"));
}

}  // namespace
}  // namespace warpclock
