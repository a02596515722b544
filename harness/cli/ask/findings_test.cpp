#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <set>

#include "answer/claims.hpp"
#include "base/files/file.hpp"
#include "base/testing/files.hpp"
#include "base/testing/matchers.hpp"
#include "base/text.hpp"
#include "cli/testing/committed_records.hpp"

namespace warpclock {
namespace {

using testing::committed_records;
using testing::Evidence;

std::vector<ReportedFinding> all_findings() {
  std::vector<ReportedFinding> all;
  for (const FindingTopic& topic : must(known_findings())) std::ranges::copy(topic.findings, std::back_inserter(all));
  return all;
}

std::vector<std::string> finding_contradictions(const Reports& reports) {
  const Evidence evidence(reports);
  std::vector<std::string> all;
  for (const ReportedFinding& finding : all_findings())
    for (std::string& each : contradictions(evidence.book, finding)) all.push_back(std::move(each));
  return all;
}

TEST(Findings, AreWhatTheRecordsSay) { EXPECT_THAT(finding_contradictions(committed_records()), IsEmpty()); }

TEST(Findings, AreContradictedByAnotherNumberAndByNone) {
  Reports changed = committed_records();
  for (Row& row : changed[RecordFile::Machine].at("nvidia-h200").rows)
    if (row.id == "@PT IMAD.HI.U32 R#, R#, R#, R#")
      std::ranges::find(row.estimates, "minimum_stall.0", &Estimate::name)->value = 9;
  std::erase_if(changed[RecordFile::Result].at("nvidia-h200").rows,
                [](const Row& row) { return row.id == "async_copy/commit_wait"; });
  EXPECT_THAT(finding_contradictions(changed),
              UnorderedElementsAre(HasSubstr("minimum stall count, IMAD.HI.U32: [9 cycles]"),
                                   HasSubstr("commit and wait: not measured yet on H200")));
}

TEST(Findings, AreShortAndHaveNamesOfTheirOwn) {
  constexpr std::size_t most_words = 62, most_columns = 56;
  std::set<std::string> names;
  for (const ReportedFinding& finding : all_findings()) {
    EXPECT_TRUE(names.insert(finding.name).second) << finding.name;
    EXPECT_LE(finding.name.size(), most_columns) << finding.name;
    EXPECT_LE(split(finding.says, ' ').size(), most_words) << finding.name;
  }
  EXPECT_GE(names.size(), 80U);
}

TEST(Findings, NameGpusWithRecordsAndFilesThatExist) {
  const Evidence evidence(committed_records());
  for (const ReportedFinding& finding : all_findings()) {
    for (const std::string& gpu : finding.gpus) EXPECT_THAT(evidence.book.labels(), Contains(gpu)) << finding.name;
    for (const std::string& file : finding.used)
      EXPECT_TRUE(std::filesystem::exists(WARPCLOCK_SOURCE_DIR "/" + file)) << finding.name << ": " << file;
  }
}

/// Expects docs/findings.md to follow from the records. WARPCLOCK_ACCEPT=1 in the environment writes the file.
TEST(Findings, AreInTheDocumentation) {
  const Evidence evidence(committed_records());
  const std::string text = render_findings(evidence.book, must(known_findings()));
  if (std::getenv("WARPCLOCK_ACCEPT") != nullptr) testing::write(WARPCLOCK_SOURCE_DIR "/docs/findings.md", text);
  EXPECT_EQ(must(read_file(WARPCLOCK_SOURCE_DIR "/docs/findings.md")), text) << "WARPCLOCK_ACCEPT=1 cli_test writes it";
}

TEST(Findings, SayWhatIsWrongWithTheirList) {
  const auto refused = [](const std::string& rest) {
    const auto read =
        parse_findings("f.yaml", "topics:\n  - topic: T\n    findings:\n      - finding: A\n        says: B\n" + rest);
    return read ? "nothing" : read.error().message();
  };
  EXPECT_EQ(refused("        seen: C\n"), "nothing");
  EXPECT_THAT(refused(""), AllOf(StartsWith("f.yaml:4:"), HasSubstr("says how it was seen")));
  const std::string row = "        rows:\n          - {says: x, of: {probe: a, cases: b}";
  EXPECT_THAT(refused(row + ", claimed: [1]}\n"), HasSubstr("names the GPUs"));
  EXPECT_THAT(refused("        gpus: [H200]\n" + row + "}\n"), AllOf(StartsWith("f.yaml:8:"), HasSubstr("claimed")));
  EXPECT_EQ(refused("        gpus: [H200]\n" + row + ", claimed: [1]}\n"), "nothing");
}

}  // namespace
}  // namespace warpclock
