#include "base/yaml/yaml_archive.hpp"

#include <gtest/gtest.h>

#include "base/testing/matchers.hpp"

namespace warpclock {
namespace {

enum class LeafHue { None, Red, Green };

struct Leaf {
  std::string name;
  double share = 0.5;

  bool operator==(const Leaf&) const = default;
};

struct Branch {
  std::string name, title = "untitled";
  std::int64_t count = 3;
  bool wide = false;
  LeafHue hue = LeafHue::None;
  std::optional<int> depth;
  std::vector<Leaf> parts;
  std::vector<std::string> words;
  std::map<std::string, double> by_name;
  std::vector<std::pair<std::string, std::variant<std::int64_t, std::string>>> others;
};

}  // namespace

template <>
inline constexpr auto enum_words<LeafHue> = std::array<std::string_view, 3>{"none", "red", "green"};

namespace {

void describe(auto& a, Like<Leaf> auto& v) { WARPCLOCK_REQUIRED(name, share); }

void describe(YamlArchive& a, Branch& v, int most) {
  a.named("whole", "All that there is.");
  WARPCLOCK_REQUIRED(name);
  WARPCLOCK_OPTIONAL(title, wide, hue);
  a.optional("count", v.count, yaml::Whole{1, most}, "How many.");
  a.optional("depth", v.depth);
  a.optional("parts", v.parts, yaml::one_or_list().once());
  a.optional("words", v.words, yaml::list_of(yaml::OneOfWords{{"a", "bb"}}).once().at_most(2));
  a.optional("by_name", v.by_name, yaml::entries_of(yaml::positive()));
  if (a.has("depth") && !v.wide) a.reject("depth", "goes with 'wide: true' only");
}

std::string branch_complaint(const std::string& text) {
  const auto read = read_yaml<Branch>("t.yaml", text, yaml::with(9));
  return read ? "accepted" : read.error().message();
}

TEST(YamlArchive, ReadsWhatIsDescribed) {
  const auto read = must(read_yaml<Branch>("t.yaml",
                                           "name: n\nhue: green\nwide: true\ncount: 9\ndepth: 2\n"
                                           "parts: {name: p, share: 1}\nwords: [bb, a]\nby_name: {x: 1.5, y: 2}\n",
                                           yaml::with(9)));
  EXPECT_EQ(read.name, "n");
  EXPECT_EQ(read.title, "untitled");
  EXPECT_EQ(read.hue, LeafHue::Green);
  EXPECT_TRUE(read.wide);
  EXPECT_EQ(read.count, 9);
  EXPECT_EQ(read.depth, 2);
  EXPECT_EQ(read.parts, (std::vector<Leaf>{{"p", 1}}));
  EXPECT_EQ(read.words, (std::vector<std::string>{"bb", "a"}));
  EXPECT_EQ(read.by_name, (std::map<std::string, double>{{"x", 1.5}, {"y", 2}}));
}

TEST(YamlArchive, SaysWhatIsWrongAndWhere) {
  EXPECT_EQ(branch_complaint("name: n\n"), "accepted");
  EXPECT_EQ(branch_complaint("[name]\n"), "t.yaml:1:1: expected a map, not a list");
  EXPECT_EQ(branch_complaint("title: t\n"), "t.yaml:1:1: missing key 'name'");
  EXPECT_EQ(branch_complaint("nane: n\n"), "t.yaml:1:1: unknown key 'nane' (did you mean 'name'?)");
  EXPECT_EQ(branch_complaint("name: n\nname: m\n"), "t.yaml:2:1: duplicate key 'name' (first in line 1)");
  EXPECT_EQ(branch_complaint("name: 5\n"), "t.yaml:1:7: name: expected text (quote it), not '5'");
  EXPECT_EQ(branch_complaint("name: n\nhue: gren\n"), "t.yaml:2:6: hue: unknown value 'gren' (did you mean 'green'?)");
  EXPECT_EQ(branch_complaint("name: n\ncount: 10\n"), "t.yaml:2:8: count: 10 is out of range (1 to 9)");
  EXPECT_EQ(branch_complaint("name: n\nparts: []\n"), "t.yaml:2:8: parts: the list is empty");
  EXPECT_EQ(branch_complaint("name: n\nparts: [{name: p, share: x}]\n"),
            "t.yaml:2:26: parts[0].share: expected a number, not 'x'");
  EXPECT_EQ(branch_complaint("name: n\nparts: [{name: p, share: 1}, {name: p}]\n"),
            "t.yaml:2:30: parts[1]: missing key 'share'");
  EXPECT_EQ(branch_complaint("name: n\nparts: [{name: p, share: 1}, {share: 1, name: p}]\n"),
            "t.yaml:2:30: parts[1]: this is given twice");
  EXPECT_EQ(branch_complaint("name: n\nwords: a\n"), "t.yaml:2:8: words: expected a list, not 'a'");
  EXPECT_EQ(branch_complaint("name: n\nwords: [a, a]\n"), "t.yaml:2:12: words[1]: 'a' is given twice");
  EXPECT_EQ(branch_complaint("name: n\nwords: [a, bc]\n"),
            "t.yaml:2:12: words[1]: unknown value 'bc' (did you mean 'bb'?)");
  EXPECT_EQ(branch_complaint("name: n\nby_name: {x: 0}\n"), "t.yaml:2:14: by_name.x: 0 is not above 0");
  EXPECT_EQ(branch_complaint("name: n\nby_name: {}\n"), "t.yaml:2:10: by_name: the map is empty");
  EXPECT_EQ(branch_complaint("name: n\ndepth: 2\n"), "t.yaml:2:8: depth: goes with 'wide: true' only");
}

TEST(YamlArchive, NeitherReadsNorComplainsAfterTheFirstError) {
  const auto read = read_yaml<Branch>("t.yaml", "name: 5\ndepth: x\n", yaml::with(9));
  EXPECT_EQ(failure_of(read).message(), "t.yaml:1:7: name: expected text (quote it), not '5'");
}

struct FreeKeys {
  std::int64_t own = 0;
  std::vector<std::pair<std::string, std::vector<std::string>>> rest;
};

void describe(YamlArchive& a, FreeKeys& v) {
  a.not_empty();
  a.optional("own", v.own);
  a.others(v.rest, yaml::list_of(), "lower");
}

TEST(YamlArchive, KeepsOtherKeysInTheirOrder) {
  const auto read = must(read_yaml<FreeKeys>("t.yaml", "z: [one]\nown: 4\na: [two, three]\n"));
  EXPECT_EQ(read.own, 4);
  ASSERT_EQ(read.rest.size(), 2U);
  EXPECT_EQ(read.rest[0].first, "z");
  EXPECT_EQ(read.rest[1].second, (std::vector<std::string>{"two", "three"}));
  EXPECT_EQ(failure_of(read_yaml<FreeKeys>("t.yaml", "{}")).message(), "t.yaml:1:1: the map is empty");
}

struct OneKey {
  std::string one, other, third;
  std::vector<std::string> list;
};

void describe(YamlArchive& a, OneKey& v) {
  WARPCLOCK_OPTIONAL(one, other, third);
  a.optional("list", v.list, yaml::List<yaml::Plain>{.or_none = true});
  a.one_of({"one", "other", "third"});
}

TEST(YamlArchive, TakesOneOfSeveralKeys) {
  const auto said = [](const std::string& text) {
    const auto read = read_yaml<OneKey>("t.yaml", text);
    return read ? "accepted" : read.error().message();
  };
  EXPECT_EQ(said("one: x\nlist: []\n"), "accepted");
  EXPECT_EQ(said("list: []\n"), "t.yaml:1:1: missing key 'one', 'other' or 'third'");
  EXPECT_EQ(said("third: x\none: y\n"), "t.yaml:1:8: third: 'one', 'other', 'third' exclude each other");
}

TEST(YamlArchive, ReadsTheOnlyKeyOfAFile) {
  const auto form = yaml::under("parts", yaml::list_of().roots());
  EXPECT_EQ(must(read_yaml<std::vector<Leaf>>("t.yaml", "parts: [{name: p, share: 1}]\n", form)).front().name, "p");
  EXPECT_EQ(failure_of(read_yaml<std::vector<Leaf>>("t.yaml", "parts: [{name: 1}]\n", form)).message(),
            "t.yaml:1:16: name: expected text (quote it), not '1'");
  EXPECT_EQ(failure_of(read_yaml<std::vector<Leaf>>("t.yaml", "part: []\n", form)).message(),
            "t.yaml:1:1: unknown key 'part' (did you mean 'parts'?)");
  EXPECT_EQ(failure_of(read_yaml<std::vector<Leaf>>("t.yaml", "[]\n", form)).message(),
            "t.yaml:1:1: expected a map, not a list");
}

TEST(YamlSchema, SaysWhatIsDescribed) {
  YamlSchema all(R"({"lower": {"pattern": "^[a-z]+$"}})");
  EXPECT_EQ(compact(all.of<Branch>(9)), R"({"$ref":"#/definitions/whole"})");
  EXPECT_EQ(compact(all.definitions()["whole"]),
            R"({"description":"All that there is.","type":"object","properties":{)"
            R"("name":{"$ref":"#/definitions/text"},)"
            R"("title":{"allOf":[{"$ref":"#/definitions/text"}],"default":"untitled"},)"
            R"("wide":{"type":"boolean","default":false},)"
            R"("hue":{"enum":["none","red","green"],"default":"none"},)"
            R"("count":{"description":"How many.","type":"integer","minimum":1,"maximum":9,"default":3},)"
            R"("depth":{"type":"integer","minimum":-2147483648,"maximum":2147483647},)"
            R"("parts":{"oneOf":[{"type":"object","properties":{"name":{"$ref":"#/definitions/text"},)"
            R"("share":{"type":"number"}},"required":["name","share"],"additionalProperties":false},)"
            R"({"type":"array","items":{"type":"object","properties":{"name":{"$ref":"#/definitions/text"},)"
            R"("share":{"type":"number"}},"required":["name","share"],"additionalProperties":false},)"
            R"("minItems":1,"uniqueItems":true}]},)"
            R"("words":{"type":"array","items":{"enum":["a","bb"]},"minItems":1,"maxItems":2,"uniqueItems":true},)"
            R"("by_name":{"type":"object","minProperties":1,)"
            R"("additionalProperties":{"type":"number","exclusiveMinimum":0.0}}},)"
            R"("required":["name"],"additionalProperties":false})");
  EXPECT_EQ(compact(all.of<FreeKeys>()),
            R"({"type":"object","minProperties":1,)"
            R"("properties":{"own":{"type":"integer","minimum":-9223372036854775808,"maximum":9223372036854775807,)"
            R"("default":0}},"propertyNames":{"$ref":"#/definitions/lower"},)"
            R"("additionalProperties":{"type":"array","items":{"$ref":"#/definitions/text"},"minItems":1}})");
  EXPECT_EQ(compact(all.of<OneKey>()["oneOf"]),
            R"([{"required":["one"]},{"required":["other"]},{"required":["third"]}])");
}

}  // namespace
}  // namespace warpclock
