#include <limits>
#include <map>
#include <string>
#include <vector>

#include "base/json/json_reader.hpp"
#include "base/json/json_writer.hpp"
#include "base/testing/matchers.hpp"

namespace warpclock {
namespace {

struct Part {
  std::string name;
  std::vector<double> values;

  bool operator==(const Part&) const = default;
};

void describe(auto& a, Like<Part> auto& v) { WARPCLOCK_REQUIRED(name, values); }

struct Whole {
  std::int64_t count = 0;
  bool set = false;
  std::vector<Part> parts;
  std::map<std::string, double> by_name;
  std::optional<double> maybe;

  bool operator==(const Whole&) const = default;
};

void describe(auto& a, Like<Whole> auto& v) {
  WARPCLOCK_REQUIRED(count, parts, by_name, maybe);
  WARPCLOCK_OPTIONAL(set);
}

Whole some() {
  return {.count = -7,
          .set = true,
          .parts = {{"plain", {1, 0.1, -2.5e-9}}, {"quote \" \\ and \n line, \xc3\xa9", {}}},
          .by_name = {{"a.sum", 3.25}}};
}

TEST(JsonLine, IsWhatTheTreeSays) {
  EXPECT_EQ(JsonLine::of(some()),
            "{\"count\":-7,\"parts\":[{\"name\":\"plain\",\"values\":[1,0.1,-2.5e-09]},"
            "{\"name\":\"quote \\\" \\\\ and \\n line, \xc3\xa9\",\"values\":[]}],"
            "\"by_name\":{\"a.sum\":3.25},\"maybe\":null,\"set\":true}");
  EXPECT_EQ(compact(JsonWriter::write(some())), JsonLine::of(some()));
}

TEST(JsonLine, IsReadBack) {
  const auto document = must(JsonDocument::parse(JsonLine::of(some())));
  Whole back;
  JsonReader reader(true);
  reader.read(document.root(), back);
  ASSERT_EQ(reader.problem(), nullptr) << *reader.problem();
  EXPECT_EQ(back, some());
}

TEST(JsonLine, NamesWhatJsonLacksOnlyIfItIsExact) {
  const Part odd{"x", {std::numeric_limits<double>::quiet_NaN(), -std::numeric_limits<double>::infinity()}};
  EXPECT_EQ(JsonLine::of(odd), "{\"name\":\"x\",\"values\":[null,null]}");
  EXPECT_EQ(JsonLine::of(odd, true), "{\"name\":\"x\",\"values\":[\"nan\",\"-inf\"]}");
}

TEST(JsonReader, TakesKeysInAnyOrderAndSaysWhatIsMissing) {
  const auto read = [](const std::string& text, bool exact) {
    const auto document = JsonDocument::parse(text);
    Part part;
    JsonReader reader(exact);
    reader.read_at("part", document.value().root(), part);
    return reader.problem() != nullptr ? *reader.problem() : part.name;
  };
  EXPECT_EQ(read("{\"values\":[1],\"name\":\"b\"}", true), "b");
  EXPECT_EQ(read("{\"values\":[1]}", false), "part: the key 'name' is missing");
  EXPECT_EQ(read("{\"name\":\"b\",\"values\":[1,\"2\"]}", false), "part.values[1]: expected a number, found string");
  EXPECT_EQ(read("{\"name\":\"b\",\"values\":[],\"more\":1}", false), "b");
  EXPECT_THAT(read("{\"name\":\"b\",\"values\":[],\"more\":1}", true), HasSubstr("not known"));
  EXPECT_THAT(read("{\"name\":\"b\",\"values\":[],\"name\":\"c\"}", true), HasSubstr("twice"));
}

// A second reader looks for the place, which takes longer than all the rest.
TEST(JsonDocument, DoesNotLookForThePlaceInALongText) {
  const std::string text = std::string((64 << 20) + 1, ' ') + "]";
  EXPECT_THAT(failure_of(JsonDocument::parse(text)).text, Not(HasSubstr("column")));
}

TEST(JsonDocument, SaysWhereItIsNotJson) {
  EXPECT_THAT(failure_of(JsonDocument::parse("{\"a\": 1,\n \"b\": ]}")).text, HasSubstr("line 2, column 7"));
  EXPECT_FALSE(JsonDocument::parse(""));
  EXPECT_FALSE(JsonDocument::parse("{}{}"));
  EXPECT_FALSE(JsonDocument::parse(std::string(5000, '[') + std::string(5000, ']'))) << "too deep";
}

}  // namespace
}  // namespace warpclock
