#include "answer/numbers/answer.hpp"

#include <gtest/gtest.h>

#include <filesystem>

#include "answer/numbers/figures.hpp"
#include "base/files/packed_file.hpp"
#include "base/lookup.hpp"
#include "base/testing/matchers.hpp"
#include "record/testing/committed.hpp"
#include "record/testing/record.hpp"

namespace warpclock {
namespace {

/// A pipeline: 100 cycles a tile from four stages on, more with fewer; and the same for a second kind.
Record stages_record() {
  Record record = testing::example_record();
  record.rows.clear();
  record.probes = {{"copy/pipeline", "copy", "How many stages hide the copy?", {}, ""}};
  const std::vector<std::pair<std::int64_t, double>> points = {{1, 400}, {2, 200}, {4, 102}, {8, 100}};
  for (const std::string kind : {"near", "far"}) {
    for (const auto& [stages, cycles] : points) {
      Row row = testing::example_case("copy/pipeline", {{"kind", kind}, {"stages", stages}}, "LDGSTS");
      row.measures = {{"tile", Method::Slope, "cycles", 1, "", ""}};
      row.samples = testing::line_samples(kind == "near" ? cycles : 10 * cycles, 40, {16, 64, 128});
      record.rows.push_back(reanalyze(std::move(row)));
    }
  }
  return record;
}

std::vector<std::string> said(const Record& record, const Answers& known) {
  std::vector<std::string> out;
  const auto families = outline(record);
  for (const Headline& each : answers(record, families.at(0).probes.at(0), known)) {
    out.push_back(each.name + ": " + text_of(each));
  }
  return out;
}

Answers parsed(const std::string& says) {
  return must(parse_answers("a.yaml", "answers:\n  - probe: copy/pipeline\n    says: " + says + "\n"));
}

TEST(Answer, IsTheFewestStagesThatReachTheLowestTime) {
  EXPECT_THAT(said(stages_record(), parsed("{label: stages, from: {cases: tile, with: {kind: near}}, "
                                           "reaches: {best: lowest, within: 5, at: stages}}")),
              ElementsAre("stages: 4"));
  EXPECT_THAT(said(stages_record(), parsed("{label: stages, from: {cases: tile, with: {kind: near}}, "
                                           "reaches: {best: lowest, within: 1, at: stages}}")),
              ElementsAre("stages: 8"));
  EXPECT_THAT(said(stages_record(), parsed("{label: in flight, from: {cases: tile, with: {kind: near}}, "
                                           "reaches: {best: highest, within: 10, at: [1024, 4, stages], unit: B}}")),
              ElementsAre("in flight: 4 KiB"));
}

TEST(Answer, IsOneNumberForEachValueOfAParameter) {
  EXPECT_THAT(
      said(stages_record(), parsed("{label: \"from {kind}\", from: {cases: tile, with: {stages: 8}}, by: kind}")),
      ElementsAre("from near: 100 cycles", "from far: 1000 cycles"));
}

TEST(Answer, IsAListOfTheValuesWithWhichABoundHolds) {
  EXPECT_THAT(
      said(stages_record(), parsed("{label: fast, from: {cases: tile}, which: {parameter: kind, at_most: 500}}")),
      ElementsAre("fast: near"));
  EXPECT_THAT(said(stages_record(), parsed("{label: fast, from: {cases: tile}, which: {parameter: kind, at_most: 5}}")),
              ElementsAre("fast: none"));
}

TEST(Answer, WithoutOneTheRangesThatAreApartAreIt) {
  Record record = stages_record();
  std::erase_if(record.rows, [](const Row& row) { return row.parameters[1].second == Value(std::int64_t{1}); });
  EXPECT_THAT(said(record, {}), ElementsAre("tile, kind=near: 100 \xE2\x80\x93 200 cycles",
                                            "tile, kind=far: 1000 \xE2\x80\x93 2000 cycles"));
  // Moved between those of the other kind, one number makes the ranges overlap.
  record.rows[0].estimates[0].value = 1500;
  EXPECT_THAT(said(record, {}), ElementsAre("tile: 100 \xE2\x80\x93 2000 cycles"));
}

TEST(Answer, ThatIsNotThereLeavesTheRange) {
  EXPECT_THAT(said(stages_record(), parsed("{label: x, from: {cases: nothing}, by: kind}")).size(), 2u);
}

TEST(Answer, SaysWhereItsFileIsWrong) {
  const auto error = [](const std::string& says) {
    const auto known = parse_answers("a.yaml", "answers:\n  - probe: copy/pipeline\n    says: " + says + "\n");
    return known ? std::string("accepted") : known.error().message();
  };
  EXPECT_THAT(error("{label: x, from: {cases: tile}, by: kind, which: {parameter: kind}}"),
              HasSubstr("a.yaml:3:11: answers[0].says: 'by', 'reaches' and 'which' exclude each other"));
  EXPECT_THAT(error("{label: x, from: {feature: tile}, by: kind}"), HasSubstr("need 'cases'"));
  EXPECT_THAT(error("{label: x, from: {cases: tile, probe: y}}"), HasSubstr("unknown key 'probe'"));
  EXPECT_THAT(
      error("{label: x, from: {cases: tile}}\n  - probe: copy/pipeline\n    says: {label: x, from: {cases: tile}}"),
      HasSubstr("given twice"));
}

TEST(Answer, EachOfTheProgramHasANumberInACommittedRecord) {
  const auto& known = known_answers();
  ASSERT_TRUE(known) << known.error().message();
  std::map<std::string, std::size_t> missing;
  for (const auto& [probe, says] : *known) missing[probe] = says.size();
  for (const Record& record : testing::committed_results()) {
    for (const FamilyOutline& family : outline(record)) {
      for (const ProbeOutline& probe : family.probes) {
        const auto at = known->find(probe.probe.name);
        if (at == known->end()) continue;
        for (const Answer& answer : at->second) {
          const auto own = answers(record, probe, {{probe.probe.name, {answer}}});
          const std::string label = answer.label.substr(0, answer.label.find('{'));
          ASSERT_FALSE(own.empty()) << probe.probe.name;
          EXPECT_TRUE(own.front().name.starts_with(label))
              << probe.probe.name << ": " << answer.label << ", but " << own.front().name;
          missing.erase(probe.probe.name);
        }
      }
    }
  }
  for (const auto& [probe, count] : missing) ADD_FAILURE() << probe << " is in no committed record";
}

/// Of the example every answer is a range or the highest rate.
TEST(Finished, RecordsHaveAnswersAndCauses) {
  const Record before = testing::example_record(), record = finished(before);
  std::size_t causes = 0, answered = 0;
  for (std::size_t i = 0; i < record.rows.size(); ++i) {
    Row row = record.rows[i];
    for (Estimate& estimate : row.estimates) {
      causes += estimate.varies ? 1 : 0;
      estimate.varies.reset();
    }
    EXPECT_EQ(row, before.rows[i]) << "and nothing else";
  }
  EXPECT_GT(causes, 0);
  for (const ProbeRecord& probe : record.probes) {
    answered += probe.answers.empty() ? 0 : 1;
    for (const Headline& answer : probe.answers) {
      EXPECT_LE(answer.low, answer.high);
      if (!answer.number) continue;
      const Row* row = find_by(record.rows, answer.row, &Row::id);
      ASSERT_NE(row, nullptr) << answer.row;
      EXPECT_EQ(answer.number, published(*row, answer.of)->value);
    }
  }
  EXPECT_GE(answered, 4);
  EXPECT_EQ(finished(record), record);
  EXPECT_EQ(must(parse_record(to_json(record))), record);
}

TEST(Finished, CommittedRecordsAre) {
  const std::vector<RecordFile> any(every_record_file.begin(), every_record_file.end());
  std::size_t records = 0;
  for (const auto& file : std::filesystem::recursive_directory_iterator(WARPCLOCK_SOURCE_DIR "/reports")) {
    if (file.path().extension() != ".gz" || file.path().filename() == "semantics.json.gz") continue;
    const Record record = must(parse_record(must(read_packed_file(file.path())), file.path(), {any, true}));
    EXPECT_TRUE(finished(record) == record) << file.path() << ": run `warpclock report reports`";
    ++records;
  }
  EXPECT_GE(records, 10);
}

TEST(ParameterText, ShowsBytesAsAReaderWritesThem) {
  EXPECT_EQ(parameter_text("footprint", std::int64_t{1073741824}), "1 GiB");
  EXPECT_EQ(parameter_text("footprint", std::int64_t{2944}), "2.875 KiB");
  EXPECT_EQ(parameter_text("bytes", std::int64_t{16}), "16");
  EXPECT_EQ(parameter_text("stream_kb", std::int64_t{512}), "512 KiB");
  EXPECT_EQ(parameter_text("stream_mb", std::int64_t{0}), "0 B");
  EXPECT_EQ(parameter_text("distance", std::int64_t{1024}), "1024");
  EXPECT_EQ(parameter_text("kind", std::string("L1")), "L1");
  EXPECT_EQ(parameter_name("stream_kb"), "stream");
  EXPECT_EQ(unit_text("1"), "");
  EXPECT_EQ(unit_text("1/clk/SM"), "/clk/SM");
  EXPECT_EQ(unit_text("B/clk/SM"), "B/clk/SM");
}

}  // namespace
}  // namespace warpclock
