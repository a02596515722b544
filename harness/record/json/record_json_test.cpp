#include "record/json/record_json.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <random>

#include "record/testing/record.hpp"

namespace warpclock {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

std::string fixture(const std::string& name) {
  std::ifstream in(std::string(WARPCLOCK_SOURCE_DIR) + "/harness/report/testdata/" + name, std::ios::binary);
  EXPECT_TRUE(in) << name;
  return {std::istreambuf_iterator<char>(in), {}};
}

std::string record_problem(const std::string& text) {
  const auto record = parse_record(text, "result.json");
  return record ? "read" : record.error().code + " " + record.error().message();
}

TEST(RecordJson, ReadsBackWhatItWrote) {
  const Record record = testing::example_record();
  const auto again = parse_record(to_json(record));
  ASSERT_TRUE(again) << again.error().message();
  EXPECT_EQ(*again, record);
  EXPECT_EQ(to_json(*again), to_json(record));
}

TEST(RecordJson, ACaseIsALineOfIndexesAndNumbers) {
  Record record;
  record.cases = {testing::example_case("a/b", {{"bytes", 16}, {"cache", std::string("cg")}}, "SHFL")};
  record.cases[0].samples = {{16, {415, 415.5}}, {64, {1600}}};
  record.cases[0].estimates = {{"latency", 23, 23, 23, "cycles", "slope", 3, ""},
                               {"overhead", 47, 46.5, 48, "cycles", "intercept", 3, ""}};
  EXPECT_THAT(to_json(record),
              HasSubstr("\n{\"group\":0,\"at\":[16,\"cg\"],\"estimates\":[[0,23],[1,47,46.5,48]],\"kernel\":0,"
                        "\"samples\":[[16,415,415.5],[64,1600]],\"clock\":[1980,3201,212.5,41]}\n]"));
}

TEST(RecordJson, WritesAnIdThatDoesNotFollow) {
  Record record;
  record.cases = {testing::example_case("a/b", {{"bytes", 16}}, "SHFL"), testing::example_case("a/b", {}, "SHFL")};
  EXPECT_THAT(to_json(record), Not(HasSubstr("\"id\"")));
  record.cases[1].id = "another";
  const std::string text = to_json(record);
  EXPECT_THAT(text, HasSubstr("{\"id\":\"another\",\"group\":1,"));
  const auto again = parse_record(text);
  ASSERT_TRUE(again) << again.error().message();
  EXPECT_EQ(*again, record);
}

TEST(RecordJson, WritesWhatCasesShareOnce) {
  Record record;
  for (const std::int64_t warps : {1, 2}) {
    record.cases.push_back(testing::example_case("a/b", {{"warps", warps}}, "SHFL"));
    record.cases.back().measures = {{"latency", Method::Slope, "cycles", 1, "", "a note"}};
    record.cases.back().window.sass.assign(9, "B------:R-:W-:-:S04  NOP");
  }
  const std::string text = to_json(record);
  for (const std::string once : {"a note", "NOP", "B------:R-:W-:-:S04", "mov.u64 %rd1", "0123456789abcdef0123"}) {
    EXPECT_EQ(text.find(once), text.rfind(once)) << once;
    EXPECT_NE(text.find(once), std::string::npos) << once;
  }
  EXPECT_THAT(text, HasSubstr("\"sass\":[[9,0]]"));
  const auto again = parse_record(text);
  ASSERT_TRUE(again) << again.error().message();
  EXPECT_EQ(*again, record);
}

TEST(RecordJson, StaysSmall) {
  Record record;
  for (std::int64_t footprint = 0; footprint < 1000; ++footprint) {
    CaseRecord one =
        testing::example_case("memory/chase", {{"path", std::string("ca")}, {"footprint", footprint}}, "LDG");
    one.window.sass.assign(60, "B------:R-:W-:-:S04  LDG.E.64.STRONG.SM R8, desc[UR6][R8.64]");
    one.measures = {{"latency", Method::Slope, "cycles", 1, "", "a note of some length"}};
    one.samples = testing::line_samples(34, 40, {32, 64, 128}, 9, 7);
    record.cases.push_back(reanalyze(std::move(one)));
  }
  EXPECT_LT(to_json(record).size(), 350u << 10);
}

TEST(RecordJson, KeepsPtxToTheLastNewline) {
  for (const std::string ptx : {"", "\n", "a", "a\n", "\n\na\nb", "a\na\na\n\n"}) {
    Record record;
    record.cases = {testing::example_case("a/b", {}, "SHFL")};
    record.cases[0].ptx = ptx;
    const auto again = parse_record(to_json(record));
    ASSERT_TRUE(again) << again.error().message();
    EXPECT_EQ(again->cases[0].ptx, ptx);
  }
}

TEST(RecordJson, ACaseIsOneLine) {
  for (const CaseRecord& record : testing::example_record().cases) {
    const std::string line = to_json_line(record);
    EXPECT_EQ(line.find('\n'), std::string::npos);
    const auto again = parse_case_record(line);
    ASSERT_TRUE(again) << again.error().message();
    EXPECT_EQ(*again, record);
  }
}

TEST(RecordJson, ReadsTheFirstVersion) {
  const auto record = parse_record(fixture("record_1_0_0.json"));
  ASSERT_TRUE(record) << record.error().message();
  EXPECT_EQ(record->device.sms, 132);
  ASSERT_EQ(record->cases.size(), 2u);
  EXPECT_EQ(record->cases[0].samples[1].cycles, (std::vector<double>{1502, 1502, 1503.5}));
  EXPECT_EQ(record->cases[1].outcome, Outcome::Skipped);
  EXPECT_EQ(record->cases[1].reason.code, "unsupported-arch");
}

TEST(RecordJson, ReadsWhatTheFirstVersionPassedOver) {
  const auto old = parse_record(fixture("record_1_0_0.json"));
  const auto later = parse_record(fixture("record_1_7_0.json"));
  ASSERT_TRUE(old && later);
  EXPECT_EQ(*old, *later);
}

TEST(RecordJson, ReadsThePreviousVersion) {
  const auto record = parse_record(fixture("record_1_1_0.json"));
  ASSERT_TRUE(record) << record.error().message();
  ASSERT_EQ(record->cases.size(), 4u);
  EXPECT_EQ(record->probes[0].along, "footprint");
  EXPECT_EQ(record->features[1].value, 229376);
  EXPECT_EQ(record->cases[1].window.sass, record->cases[0].window.sass);
  EXPECT_EQ(record->cases[1].ptx, record->cases[0].ptx);
  EXPECT_GT(record->cases[0].window.sass.size(), 30u);
  EXPECT_EQ(record->cases[2].measures[0].method, Method::Slope);
  const auto again = parse_record(to_json(*record));
  ASSERT_TRUE(again) << again.error().message();
  EXPECT_EQ(*again, *record);
}

TEST(RecordJson, PassesOverWhatALaterMinorVersionAdds) {
  const Record record = testing::example_record();
  Json json = Json::parse(to_json(record));
  json["schema"]["minor"] = 7;
  json["more"] = {1, 2};
  for (const char* pool : {"groups", "reasons", "kinds", "judgements"}) {
    ASSERT_FALSE(json[pool].empty()) << pool;
    for (Json& each : json[pool]) each.push_back("more");
  }
  for (Json& each : json["kernels"]) each["more"] = 1;
  for (Json& each : json["cases"]) each["more"] = 1;
  const auto again = parse_record(json.dump());
  ASSERT_TRUE(again) << again.error().message();
  EXPECT_EQ(*again, record);
}

TEST(RecordJson, RefusesAnotherMajorVersion) {
  EXPECT_EQ(record_problem(R"({"schema": {"major": 3, "minor": 0, "patch": 0}})"),
            "record-version result.json: schema 3.0.0 is newer than this program reads (2.x.x); update warpclock");
  EXPECT_EQ(record_problem(R"({"schema": {"major": 0, "minor": 9, "patch": 0}})"),
            "record-version result.json: schema 0.9.0 is older than this program reads (1.x.x); measure again");
}

TEST(RecordJson, NamesAnIndexOfNothing) {
  Record record = testing::example_record();
  const Json whole = Json::parse(to_json(record));
  const auto with = [&](const char* pointer, const Json& value) {
    Json changed = whole;
    Json& place = changed[Json::json_pointer(pointer)];
    EXPECT_FALSE(place.is_null()) << pointer;
    place = value;
    return record_problem(changed.dump());
  };
  const auto last = std::to_string(record.cases.size() - 1);
  EXPECT_EQ(with("/cases/0/kernel", 9999), "record result.json: cases[0].kernel: no such kernel");
  EXPECT_EQ(with("/cases/0/kernel", -1), "record result.json: cases[0].kernel: no such kernel");
  EXPECT_EQ(with("/cases/0/kernel", "0"), "record result.json: cases[0].kernel: expected an integer, found string");
  EXPECT_EQ(with("/cases/0/group", 9999), "record result.json: cases[0].group: no such group");
  EXPECT_EQ(with("/cases/0/measures/0", 9999), "record result.json: cases[0].measures[0]: no such measure");
  EXPECT_EQ(with("/cases/0/estimates/0/0", 9999), "record result.json: cases[0].estimates[0]: no such kind");
  EXPECT_EQ(with("/kernels/0/mix", 9999), "record result.json: kernels[0].mix: no such mix");
  EXPECT_EQ(with("/kernels/0/sass/0", 9999), "record result.json: kernels[0].sass[0]: no such line");
  EXPECT_EQ(with("/kernels/0/ptx/0", 9999), "record result.json: kernels[0].ptx[0]: no such line");
  EXPECT_EQ(with("/lines/0/0", 9999), "record result.json: lines[0]: no such control");
  EXPECT_EQ(with("/mixes/0/0", 9999), "record result.json: mixes[0]: no such opcode");
  EXPECT_THAT(with(("/cases/" + last + "/counters_missing").c_str(), 9999), HasSubstr("no such text"));
  EXPECT_THAT(with(("/cases/" + last + "/rules/0").c_str(), 9999), HasSubstr("no such rule"));
  EXPECT_THAT(with(("/cases/" + last + "/premises/0/0").c_str(), 9999), HasSubstr("no such judgement"));
  EXPECT_THAT(with(("/cases/" + last + "/reason").c_str(), 9999), HasSubstr("no such reason"));
  EXPECT_EQ(with("/cases/1/at", Json::array({1, 2, 3})),
            "record result.json: cases[1].at[2]: the group has fewer parameters");
  EXPECT_EQ(with("/cases/1/at", Json::array({1})),
            "record result.json: cases[1]: a parameter of the group has no value");
  EXPECT_EQ(with("/kernels/0/sass/0", Json::array({1e9, 0})).substr(0, 41),
            "record result.json: kernels[0].sass[0]: e");
  EXPECT_THAT(with("/kernels/0/sass/0", Json::array({1000000000, 0})), HasSubstr("more than a table can hold"));
}

TEST(RecordJson, SaysWhereTheFirstThingIsThatIsWrong) {
  const std::string head = R"({"schema": {"major": 2, "minor": 0, "patch": 0},
    "provenance": {"commit": "c", "dirty": false, "version": "0.1.0", "date": "d"},
    "device": {"name": "n", "slug": "s", "arch": "sm_90a"}, "probes": [], "groups": [["a/b", "a", "sm_90a", ["x"]]],
    "names": ["f"], "cases": [)";
  const std::string row = R"({"group": 0, "at": [1])";
  EXPECT_EQ(record_problem(head + row + "}]}"), "read");
  EXPECT_EQ(record_problem(head + row + ", \"samples\": [[\"16\"]]}]}"),
            "record result.json: cases[0].samples[0][0]: expected an integer, found string");
  EXPECT_EQ(record_problem(head + row + ", \"samples\": [[18446744073709551615]]}]}"),
            "record result.json: cases[0].samples[0][0]: the integer is out of range");
  EXPECT_EQ(record_problem(head + row + ", \"outcome\": \"great\"}]}"),
            "record result.json: cases[0].outcome: unknown outcome 'great' (measured, rejected, skipped, failed)");
  EXPECT_EQ(record_problem(head + row + ", \"facts\": [0]}]}"),
            "record result.json: cases[0].facts: a name has no value");
  EXPECT_EQ(record_problem(head + "{}]}"), "record result.json: cases[0]: the key 'group' is missing");
  EXPECT_EQ(record_problem(head + "7]}"), "record result.json: cases[0]: expected an object, found number");
  EXPECT_EQ(record_problem(head + R"({"group": 0, "at": [1.5]}]})"),
            "record result.json: cases[0].at[0]: expected an integer, found number");
}

TEST(RecordJson, SaysWhereTheFirstVersionIsWrong) {
  const std::string head = R"({"schema": {"major": 1, "minor": 0, "patch": 0},
    "provenance": {"commit": "c", "dirty": false, "version": "0.1.0", "date": "d"},
    "device": {"name": "n", "slug": "s", "arch": "sm_90a"}, "probes": [], "cases": [)";
  const std::string row = R"({"id": "a/b", "probe": "a/b", "family": "a", "arch": "sm_90a", "outcome": )";
  EXPECT_EQ(record_problem(head + "]}"), "read");
  EXPECT_EQ(record_problem(head + row + "\"measured\", \"samples\": [{\"n\": \"16\", \"cycles\": []}]}]}"),
            "record result.json: cases[0].samples[0].n: expected an integer, found string");
  EXPECT_EQ(record_problem(head + row + "\"great\"}]}"),
            "record result.json: cases[0].outcome: unknown outcome 'great' (measured, rejected, skipped, failed)");
  EXPECT_EQ(record_problem(head + "{}]}"), "record result.json: cases[0]: the key 'id' is missing");
  EXPECT_EQ(record_problem(head + "7]}"), "record result.json: cases[0]: expected an object, found number");
  EXPECT_EQ(
      record_problem(head + row + "\"measured\", \"samples\": [{\"n\": 18446744073709551615, \"cycles\": []}]}]}"),
      "record result.json: cases[0].samples[0].n: the integer is out of range");
  EXPECT_EQ(record_problem(head + row + "\"measured\", \"parameters\": {\"x\": 1.5}}]}"),
            "record result.json: cases[0].parameters.x: expected an integer, found number");
  EXPECT_EQ(record_problem(head + row + "\"measured\", \"ptx_of\": \"later\"}]}"),
            "record result.json: ptx_of: no earlier case 'later'");
}

TEST(RecordJson, SurvivesTruncatedAndDamagedText) {
  Record record = testing::example_record();
  record.cases.resize(8);
  const std::string whole = to_json(record);
  for (std::size_t length = 0; length + 2 < whole.size(); length += 97) {
    EXPECT_FALSE(parse_record(whole.substr(0, length))) << length;
  }
  std::mt19937 random(7);
  for (int round = 0; round < 200; ++round) {
    std::string damaged = whole;
    for (int i = 0; i < 4; ++i) damaged[random() % damaged.size()] = static_cast<char>(random() % 256);
    if (const auto read = parse_record(damaged); !read) {
      EXPECT_FALSE(read.error().text.empty());
    }
  }
  for (const std::string text :
       {"", "null", "[]", "7", "{\"schema\": 1}", "\xff\xfe", "{\"schema\": {\"major\": 1e400}}"}) {
    EXPECT_FALSE(parse_record(text)) << text;
  }
  EXPECT_FALSE(parse_record(std::string(100000, '[')));
}

class RandomRecord {
 public:
  explicit RandomRecord(unsigned seed) : random_(seed) {}

  Record make() {
    Record r;
    r.provenance = {text(), text(), text(),  text(),   text(),   text(),   text(), text(),
                    flip(), list(), small(), number(), number(), number(), text()};
    r.device = {text(),    text(),    text(),  text(),   small(),  integer(), integer(), integer(),
                integer(), integer(), small(), number(), number(), text(),    text()};
    for (int i = small(); i > 0; --i)
      r.probes.push_back({text(), text(), text(), {text(), text(), text(), flip()}, text(), {}, text()});
    for (int i = small(); i > 0; --i) r.metrics.push_back({text(), text(), text()});
    for (int i = small(); i > 0; --i) r.cases.push_back(make_case(i));
    for (int i = small(); i > 0; --i) {
      r.features.push_back({text(),
                            {{"x", integer()}},
                            text(),
                            number(),
                            number(),
                            number(),
                            text(),
                            number(),
                            number(),
                            number(),
                            number(),
                            text(),
                            text()});
    }
    return r;
  }

 private:
  CaseRecord make_case(int i) {
    CaseRecord c;
    c.id = std::to_string(i) + text();
    c.probe = text();
    c.family = text();
    c.arch = text();
    for (int j = small(); j > 0; --j) {
      c.parameters.emplace_back(std::to_string(j) + text(), flip() ? Value(integer()) : Value(text()));
    }
    c.outcome = static_cast<Outcome>(random_() % 4);
    c.reason = {text(), text(), text()};
    c.window = {text(), {}, text(), flip() ? std::optional(number()) : std::nullopt, list(), text()};
    for (int j = small(); j > 0; --j) c.window.opcodes.emplace_back(text(), small());
    c.ptx = text();
    for (int j = small(); j > 0; --j) {
      c.measures.push_back({text(), static_cast<Method>(random_() % 5), text(), integer(), text(), text()});
      c.premise_rules.push_back({text(), text(), static_cast<Relation>(random_() % 3), number()});
      c.samples.push_back({integer(), {number(), number()}});
      c.facts[text()] = number();
      c.counters[text()] = number();
      c.estimates.push_back({text(), number(), number(), number(), text(), text(), integer(), text()});
      c.premises.push_back({text(), flip(), flip(), number(), text()});
    }
    c.counters_missing = text();
    c.clock = {number(), number(), list(), number(), number()};
    return c;
  }

  bool flip() { return random_() % 2 != 0; }
  int small() { return static_cast<int>(random_() % 4); }
  std::int64_t integer() { return static_cast<std::int64_t>((std::uint64_t{random_()} << 32) | random_()); }
  double number() {
    switch (random_() % 4) {
      case 0:
        return 0;
      case 1:
        return small();
      case 2:
        return static_cast<double>(integer()) * 1e-300;
      default:
        return static_cast<double>(integer()) / 3.0;
    }
  }
  std::string text() {
    static const std::vector<std::string> words = {"",    "a",    "\"q\"", "b\\\n\t",
                                                   "ü€𝄞", "<b>&", "{x}",   std::string("\0z", 2)};
    return words[random_() % words.size()];
  }
  std::vector<std::string> list() {
    std::vector<std::string> out;
    for (int i = small(); i > 0; --i) out.push_back(text());
    return out;
  }

  std::mt19937 random_;
};

TEST(RecordJson, AnyRecordReadsBack) {
  for (unsigned seed = 0; seed < 200; ++seed) {
    const Record record = RandomRecord(seed).make();
    const std::string text = to_json(record);
    const auto again = parse_record(text);
    ASSERT_TRUE(again) << "seed " << seed << ": " << again.error().message();
    EXPECT_EQ(*again, record) << "seed " << seed;
    EXPECT_EQ(to_json(*again), text) << "seed " << seed;
  }
}

TEST(RecordJson, WritesNumbersThatAreNotFiniteAsNull) {
  CaseRecord record = testing::example_case("a/b", {}, "SHFL");
  record.counters["x"] = std::nan("");
  const auto again = parse_case_record(to_json_line(record));
  ASSERT_TRUE(again) << again.error().message();
  EXPECT_TRUE(std::isnan(again->counters.at("x")));
}

TEST(RecordJson, ReplacesTextThatIsNotUtf8) {
  CaseRecord record = testing::example_case("a/b", {}, "SHFL");
  record.reason = {"run", "fault", "bad \xff byte"};
  const auto again = parse_case_record(to_json_line(record));
  ASSERT_TRUE(again) << again.error().message();
  EXPECT_EQ(again->reason.text, "bad \xEF\xBF\xBD byte");
}

}  // namespace
}  // namespace warpclock
