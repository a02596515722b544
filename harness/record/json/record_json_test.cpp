#include "record/json/record_json.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "base/json/json_writer.hpp"
#include "base/testing/matchers.hpp"
#include "base/text.hpp"
#include "record/testing/columns.hpp"
#include "record/testing/golden.hpp"
#include "record/testing/instructions.hpp"
#include "record/testing/machine.hpp"
#include "record/testing/record.hpp"

namespace warpclock {
namespace {

constexpr RecordFile kinds[] = {RecordFile::Result, RecordFile::Instructions, RecordFile::Machine};

/// Few rows, and all their keys.
std::string example(RecordFile kind) {
  if (kind == RecordFile::Result) {
    Record record = testing::example_record();
    record.rows.resize(8);
    return to_json(record);
  }
  return kind == RecordFile::Machine ? to_json(testing::example_machine()) : to_json(testing::example_instructions());
}

std::string problem(RecordFile kind, const std::string& text) {
  const auto say = [](const auto& read) { return read ? "read" : read.error().code + " " + read.error().message(); };
  return say(parse_record(text, fmt::format("{}.json", word(kind)), {{kind}}));
}

TEST(RecordJson, KeepsAClockThatMovedItsEnergyAndWhatItWasComparedWith) {
  Record record = testing::example_record();
  record.provenance.timer = {.ratio = 0.999985, .error = 1e-6, .seconds = 41.25};
  record.provenance.most_power_w = 651.5;
  record.provenance.gpu_events = {{{"31", 2}}, {{"corrected", 1}}};
  ClockReading& clock = record.rows.back().clock;
  clock.sm_low_mhz = 1965, clock.sm_high_mhz = 2085;
  clock.energy_j = 261.6, clock.energy_s = 0.4;
  clock.timer_ratio = 1.05;
  EXPECT_EQ(must(parse_record(to_json(record))), record);
}

TEST(RecordJson, IsTheAcceptedText) {
  testing::expect_golden("result.json", example(RecordFile::Result));
  testing::expect_golden("instructions.json", example(RecordFile::Instructions));
  testing::expect_golden("machine.json", example(RecordFile::Machine));
}

TEST(RecordJson, ReadsBackWhatItWrote) {
  const Record record = testing::example_record();
  EXPECT_EQ(must(parse_record(to_json(record))), record);

  Record table = rounded(testing::example_instructions());
  table.rows.pop_back();  // its characters are not all UTF-8's
  table.rows[0].instruction.runs[0].note = "UMOV is done once for all copies";
  table.rows[0].instruction.runs[0].trips = 4;
  table.guide = {"Table 4", "why", {{.row = "r", .brief = "s", .operation = "o", .id = "i", .verdict = "meets"}}};
  EXPECT_EQ(must(parse_record(to_json(table), "", {{RecordFile::Instructions}})), table);

  const Record machine = rounded(testing::example_machine());
  EXPECT_EQ(must(parse_record(to_json(machine), "", {{RecordFile::Machine}})), machine);
}

TEST(RecordJson, ARowIsALine) {
  for (const RecordFile kind : kinds) {
    const std::string text = example(kind);
    const std::size_t rows = json_of(text).at("rows").size();
    ASSERT_GT(rows, 2u);
    const std::size_t begin = text.find("\"rows\":[");
    EXPECT_EQ(lines(text.substr(begin, text.find("\n]", begin) - begin)).size(), rows + 1);
  }
}

TEST(RecordJson, IsReadTheSameWhereARowIsNoLine) {
  for (const RecordFile kind : kinds) {
    const std::string text = example(kind);
    const std::string wrong = replace_all(text, "\"rows\":[\n{\"id\":", "\"rows\":[\n{\"id\":7,\"was\":");
    ASSERT_NE(wrong, text);
    const std::string more = replace_all(text, ",\n\"rows\":", ",\n\"later\":[\n1\n],\n\"rows\":");
    for (const std::string& each : {text, wrong, more})
      EXPECT_EQ(problem(kind, replace_all(each, ",\n", ", \n")), problem(kind, each));
    EXPECT_NE(problem(kind, text + "\n{}"), "read");
    EXPECT_NE(problem(kind, text + text), "read");
    EXPECT_EQ(problem(kind, wrong),
              fmt::format("record {}.json: rows[0].id: expected a string, found number", word(kind)));
    EXPECT_EQ(problem(kind, more), "read");
  }
  const std::string text = example(RecordFile::Result);
  EXPECT_EQ(must(parse_record(replace_all(text, "\n", " \n"))), must(parse_record(text)));
}

TEST(RecordJson, OfItsNumbersHasNoCodeAndNoSamples) {
  Record record = testing::example_record();
  const std::string text = to_json(record);
  for (Row& row : record.rows) {
    row.ptx.clear(), row.window.sass.clear(), row.samples.clear(), row.measures.clear(), row.premise_rules.clear();
  }
  EXPECT_NE(to_json(record), text);
  EXPECT_EQ(must(parse_record(text, "", {.numbers = true})), record);
  EXPECT_EQ(must(parse_record(compact(json_of(text)), "", {.numbers = true})), record);
}

TEST(RecordJson, ACaseIsOneLine) {
  for (const Row& record : testing::example_record().rows) {
    const std::string line = to_json_line(record);
    EXPECT_EQ(line.find('\n'), std::string::npos);
    EXPECT_EQ(must(parse_row(line)), record);
  }
}

TEST(RecordJson, RoundsOnce) {
  Record table = testing::example_instructions();
  table.rows[0].estimates[0].value = 1.0 / 3;
  table.rows[0].instruction.runs[0].samples[1][0].cycles = {85.33333, 1e300, std::nan(""), -0.001};
  const Record once = rounded(table);
  EXPECT_EQ(once.rows[0].estimates[0].value, 0.33333);
  EXPECT_EQ(once.rows[0].instruction.runs[0].samples.at(1)[0].cycles[0], 85.33);
  EXPECT_EQ(once.rows[0].instruction.runs[0].samples.at(1)[0].cycles[1], 1e300);
  EXPECT_EQ(to_json(once), to_json(table));
  EXPECT_EQ(to_json(must(parse_record(to_json(table), "", {{RecordFile::Instructions}}))), to_json(table));

  Record machine = testing::example_machine();
  Estimate& interval = *std::ranges::find(machine.rows[0].estimates, "interval", &Estimate::name);
  interval.value = 2.000000049;
  machine.rows[0].machine.cells[0].curve[0].second = 85.33333;
  EXPECT_EQ(estimate_in(rounded(machine).rows[0], "interval")->value, 2);
  EXPECT_EQ(rounded(machine).rows[0].machine.cells[0].curve[0].second, 85.33);
  EXPECT_EQ(to_json(must(parse_record(to_json(machine), "", {{RecordFile::Machine}}))), to_json(rounded(machine)));
}

TEST(RecordJson, PassesOverWhatALaterMinorVersionAdds) {
  for (const RecordFile kind : kinds) {
    Json json = json_of(example(kind));
    json["schema"]["minor"] = 7;
    json["more"] = {1, 2};
    for (Json& row : json["rows"]) {
      row["more"] = {{"a", 1}};
      if (row.contains("estimates")) row["estimates"][0]["more"] = 1;
    }
    EXPECT_EQ(problem(kind, json.dump()), "read");
  }
  const auto known = parse_record(example(RecordFile::Result));
  Json json = json_of(example(RecordFile::Result));
  for (Json& row : json["rows"]) row["more"] = 1;
  EXPECT_EQ(parse_record(json.dump()), known);
}

TEST(RecordJson, RefusesAnotherMajorVersion) {
  EXPECT_EQ(problem(RecordFile::Result, R"({"schema": {"major": 5, "minor": 0, "patch": 0}})"),
            "record-version result.json: schema 5.0.0 is newer than this program reads (4.x.x); update warpclock");
  for (const int older : {0, 3})
    EXPECT_EQ(
        problem(RecordFile::Machine, fmt::format(R"({{"schema": {{"major": {}, "minor": 0, "patch": 0}}}})", older)),
        fmt::format("record-version machine.json: schema {}.0.0 is older than this program reads (4.x.x); "
                    "`.ci/convert-records FILE` of warpclock's repository converts schema 3",
                    older));
}

TEST(RecordJson, RefusesAFileOfAnotherKind) {
  for (const RecordFile wanted : kinds) {
    for (const RecordFile found : kinds) {
      if (found == wanted) continue;
      const std::string said = problem(wanted, example(found));
      EXPECT_THAT(said, StartsWith("record-kind "));
      EXPECT_THAT(said, HasSubstr(fmt::format("this is {}; {} is wanted", words(found), words(wanted))));
    }
  }
}

TEST(RecordJson, SaysWhereTheFirstThingIsThatIsWrong) {
  const struct {
    RecordFile kind;
    const char* pointer;
    Json value;
    std::string_view what;
  } wrong[] = {
      {RecordFile::Result, "/rows/0", 7, "rows[0]: expected an object, found number"},
      {RecordFile::Result, "/rows/0", Json::object(), "rows[0]: the key 'id' is missing"},
      {RecordFile::Result, "/rows/1/samples/0/n", "16", "rows[1].samples[0].n: expected an integer, found string"},
      {RecordFile::Result, "/rows/1/samples/0/n", 18446744073709551615u,
       "rows[1].samples[0].n: the integer is out of range"},
      {RecordFile::Result, "/rows/1/samples/0/cycles/2", "7",
       "rows[1].samples[0].cycles[2]: expected a number, found string"},
      {RecordFile::Result, "/rows/1/outcome", "great",
       "rows[1].outcome: 'great' is none of: measured, unsteady, rejected, skipped, failed"},
      {RecordFile::Result, "/rows/1/parameters/mode", 1.5,
       "rows[1].parameters.mode: expected an integer, found number"},
      {RecordFile::Result, "/rows/1/estimates", Json::object(), "rows[1].estimates: expected an array, found object"},
      {RecordFile::Result, "/rows/1/window/opcodes/0/count", 9000000000,
       "rows[1].window.opcodes[0].count: the integer is out of range"},
      {RecordFile::Result, "/device/name", 1, "device.name: expected a string, found number"},
      {RecordFile::Instructions, "/rows/0/instruction/experiments/0/samples/0/warps", Json(),
       "rows[0].instruction.experiments[0].samples[0].warps: expected an integer, found null"},
      {RecordFile::Instructions, "/rows/2/instruction/experiments/2/via/0", Json::object(),
       "rows[2].instruction.experiments[2].via[0]: the key 'instruction' is missing"},
      {RecordFile::Machine, "/rows/0/machine/word", "12", "rows[0].machine.word: 32 hexadecimal digits are wanted"},
      {RecordFile::Machine, "/rows/0/machine/word", "000fe20000000000000000090804722g",
       "rows[0].machine.word: 32 hexadecimal digits are wanted"},
      {RecordFile::Machine, "/rows/0/machine/word", "-00fe20000000000+000000908047221",
       "rows[0].machine.word: 32 hexadecimal digits are wanted"},
      {RecordFile::Machine, "/rows/0/machine/cells/0/curve/0/n", "1",
       "rows[0].machine.cells[0].curve[0].n: expected an integer, found string"},
  };
  for (const auto& each : wrong) {
    Json changed = json_of(example(each.kind));
    const Json::json_pointer pointer(each.pointer);
    ASSERT_TRUE(changed.contains(pointer)) << each.pointer;
    changed[pointer] = each.value;
    EXPECT_EQ(problem(each.kind, changed.dump()), fmt::format("record {}.json: {}", word(each.kind), each.what));
  }
  EXPECT_EQ(problem(RecordFile::Machine, R"({"schema":{"major":4,"minor":0,"patch":0},"record":"machine"})"),
            "record machine.json: the key 'provenance' is missing");
}

TEST(RecordJson, SurvivesTruncatedAndDamagedText) {
  for (const RecordFile kind : kinds) {
    const std::string whole = example(kind);
    for (std::size_t length = 0; length + 2 < whole.size(); length += 197)
      EXPECT_NE(problem(kind, whole.substr(0, length)), "read") << length;
    std::mt19937 random(7);
    for (int round = 0; round < 200; ++round) {
      std::string damaged = whole;
      for (int i = 0; i < 4; ++i) damaged[random() % damaged.size()] = static_cast<char>(random() % 256);
      EXPECT_FALSE(problem(kind, damaged).empty());
    }
  }
  for (const std::string text :
       {"", "null", "[]", "7", "{\"schema\": 1}", "\xff\xfe", "{\"schema\": {\"major\": 1e400}}"}) {
    EXPECT_FALSE(parse_record(text)) << text;
  }
  EXPECT_FALSE(parse_record(std::string(100000, '[')));
}

/// Every value of the text replaced by one of another type; of an array the first few.
int refused(RecordFile kind, const Json& root, Json& at) {
  int count = 0;
  const Json kept = at;
  for (const Json& other : {Json(nullptr), Json(-1), Json("x"), Json::array(), Json::object(),
                            Json::array({Json::array({1e308})}), Json(18446744073709551615u)}) {
    at = other;
    count += problem(kind, root.dump()) != "read";
  }
  at = kept;
  if (!at.is_structured()) return count;
  const std::size_t most = at.is_array() ? std::min<std::size_t>(at.size(), 2) : at.size();
  auto child = at.begin();
  for (std::size_t i = 0; i < most; ++i, ++child) count += refused(kind, root, *child);
  return count;
}

TEST(RecordJson, SurvivesEveryValueOfAnotherType) {
  for (const RecordFile kind : kinds) {
    Json json = json_of(example(kind));
    Json& rows = json["rows"];
    rows = {rows[2]};
    for (const char* key : {"/instruction/experiments", "/machine/cells"}) {
      const Json::json_pointer list(key);
      if (rows[0].contains(list)) rows[0][list] = {rows[0][list][0]};
    }
    EXPECT_GT(refused(kind, json, json), 200);
    EXPECT_EQ(problem(kind, json.dump()), "read");
  }
}

class RandomRecord {
 public:
  explicit RandomRecord(unsigned seed) : random_(seed) {}

  Record make() {
    Record r;
    r.provenance = {text(), text(), text(), text(),  text(),   text(),   text(),   text(), flip(),
                    list(), text(), text(), small(), number(), number(), number(), text(), list()};
    r.device = {text(),    text(),    text(),  text(),   small(),  integer(), integer(), integer(),
                integer(), integer(), small(), number(), number(), text(),    text()};
    for (int i = small(); i > 0; --i)
      r.probes.push_back({text(), text(), text(), {text(), text(), text(), flip()}, text(), {}, text()});
    for (int i = small(); i > 0; --i) r.metrics.push_back({text(), text(), text()});
    for (int i = small(); i > 0; --i) r.rows.push_back(make_row(i));
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
  Row make_row(int i) {
    Row c;
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
    c.kind = static_cast<RowKind>(random_() % 10);
    c.forms = list(), c.pipes = list();
    c.instruction = {text(), text(), list(), list(), list(), {{small(), small(), number()}}, {}};
    InstructionRun& run = c.instruction.runs.emplace_back();
    run.measure = text(), run.verdict = text(), run.via = {{text(), number()}}, run.trips = small();
    c.machine = {.text = text(), .word = {random_(), random_()}, .scoreboard = flip(), .of_each = {small(), small()}};
    c.machine.paths.push_back({small(), text(), text(), number(), {small()}, text()});
    c.machine.cells.push_back({small(), small(), flip(), {{small(), number()}}, number(), number(), number(), text()});
    c.kernel = {.says = text(), .entry = text(), .grid = {integer()}, .cold = flip(), .limiter = text()};
    c.kernel.shares.push_back({text(), text(), number()});
    if (flip()) c.kernel.library = {.name = text(), .call_us = {number()}};
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
  Row record = testing::example_case("a/b", {}, "SHFL");
  record.counters["x"] = std::nan("");
  EXPECT_TRUE(std::isnan(must(parse_row(to_json_line(record))).counters.at("x")));
}

TEST(RecordJson, ReplacesTextThatIsNotUtf8) {
  Row record = testing::example_case("a/b", {}, "SHFL");
  record.reason = {"run", "fault", "bad \xff byte"};
  EXPECT_EQ(must(parse_row(to_json_line(record))).reason.text, "bad \xEF\xBF\xBD byte");
}

TEST(Columns, HaveAValueForEachObjectAndNestWhereAllValuesDo) {
  const Json rows = json_of(
      R"([{"id": "a", "cells": [{"n": 1}, {"n": 2, "note": "x"}], "clock": {"mhz": 5}}, {"id": "b", "cells": []},
          {"id": null, "mixed": [{"n": 1}]}, {"mixed": 3}])");
  EXPECT_EQ(columns_of(rows), json_of(R"({"counts": [4], "of": {
      "cells": {"counts": [2, 0, null, null], "of": {"n": [1, 2], "note": [null, "x"]}},
      "clock": {"counts": [1, null, null, null], "of": {"mhz": [5]}, "one": true},
      "id": ["a", "b", null, null],
      "mixed": [null, null, [{"n": 1}], 3]}})"));
}

TEST(Columns, GiveTheObjectsBackButForNulls) {
  Json rows = json_of(
      R"([{"a": [{"b": [{"c": [1, null]}, {}]}], "d": {"e": {"f": "g"}, "h": []}}, {},
          {"a": [], "d": {}, "i": false}])");
  EXPECT_EQ(testing::values_of(columns_of(rows))[0], rows);
  rows[1]["i"] = nullptr;
  EXPECT_NE(testing::values_of(columns_of(rows))[0], rows);
  EXPECT_EQ(testing::values_of(columns_of(Json::array()))[0], Json::array());
}

}  // namespace
}  // namespace warpclock
