#include <fmt/format.h>
#include <gtest/gtest.h>

#include "answer/ask/hits.hpp"
#include "answer/numbers/figures.hpp"
#include "base/testing/matchers.hpp"

namespace warpclock {
namespace {

Expected<SearchWords> with_topic(const std::string& topic) {
  return parse_search_words("s.yaml",
                            "near: {exp: ex2}\nfillers: [the]\ngpus: [b200]\nrates: [rate]\ntimes: [time]\n"
                            "parameters: {way: at}\nvalues: {fp16: f16}\ntopics:\n  - " +
                                topic + "\n",
                            known_quantities().value());
}

TEST(SearchWords, OfTheProgramAreRead) {
  const auto& known = known_search_words();
  ASSERT_TRUE(known) << known.error().message();
  EXPECT_GT(known->topics.size(), 200U);
  EXPECT_EQ(known->near.front().first, "cp.async") << "in the order of the file";
}

TEST(SearchWords, ATopicIsReadAsAnAnswer) {
  const auto words =
      with_topic("{words: [a b, c], says: {label: \"{x} d\", from: {probe: m/p, cases: t, with: {x: 1}}}, note: n}");
  ASSERT_TRUE(words) << words.error().message();
  const Topic& topic = words->topics.at(0);
  EXPECT_THAT(topic.words, ElementsAre("a b", "c"));
  EXPECT_EQ(topic.says.at(0).from.probe, "m/p");
  EXPECT_EQ(topic.says.at(0).from.with.at(0).equals, Value(std::int64_t{1}));
  EXPECT_EQ(topic.note, "n");
}

// "512 KiB" has its unit: a label that had it too would say "512 KiB KiB".
TEST(SearchWords, GiveNoUnitToParametersThatAreShownWithOne) {
  const auto& known = known_search_words();
  ASSERT_TRUE(known);
  for (const Topic& topic : known->topics)
    for (const Answer& answer : topic.says)
      for (const ParameterRule& rule : answer.from.with)
        for (const char* unit : {"B", "KiB", "MiB", "GiB"})
          EXPECT_FALSE(bytes_of_parameter(rule.name) > 1 &&
                       answer.label.contains(fmt::format("{{{}}} {}", rule.name, unit)))
              << answer.label;
}

TEST(SearchWords, SayWhereTheyAreMalformed) {
  const auto refused = [](const std::string& topic, const std::string& why) {
    const auto read = with_topic(topic);
    ASSERT_FALSE(read) << topic;
    EXPECT_THAT(read.error().place, ::testing::StartsWith("s.yaml:9:"));
    EXPECT_THAT(read.error().text, HasSubstr(why)) << topic;
  };
  refused("{says: {label: d, from: {probe: m/p, cases: t}}}", "missing key 'words'");
  refused("{words: a}", "says where its numbers are, or 'absent'");
  refused("{words: a, absent: none, quantities: l1.latency}", "says where its numbers are, or 'absent'");
  refused("{words: a, quantities: l9.latency}", "l9.latency");
  refused("{words: a, says: {label: d, from: {cases: t}}}", "probe");
  refused("{words: a, absent: none, notes: n}", "notes");
  refused("{words: a, rows: {probe: m/p}}", "probe");
  refused("{words: a, rows: {with: {x: 1}}}", "says one of 'ptx', 'sass', 'kernel'");
}

}  // namespace
}  // namespace warpclock
