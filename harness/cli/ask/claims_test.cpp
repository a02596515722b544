#include "answer/claims.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <set>

#include "base/files/file.hpp"
#include "base/testing/files.hpp"
#include "base/testing/matchers.hpp"
#include "base/text.hpp"
#include "cli/report_folder.hpp"
#include "cli/testing/committed_records.hpp"

namespace warpclock {
namespace {

using testing::committed_records;
using testing::Evidence;

std::vector<std::string> claim_contradictions(const Reports& reports) {
  const Evidence evidence(reports);
  std::vector<std::string> all;
  for (const ReportedClaim& claim : must(known_claims()))
    for (std::string& each : contradictions(evidence.book, claim)) all.push_back(std::move(each));
  return all;
}

TEST(Claims, HaveTheVerdictsThatTheRecordsSupport) {
  EXPECT_THAT(claim_contradictions(committed_records()), IsEmpty());
}

TEST(Claims, LoseTheirVerdictWithTheNumber) {
  Reports changed = committed_records();
  for (Row& row : changed[RecordFile::Cases].at("nvidia-h200").rows)
    if (row.id == "transpose[tiles=32,l2=warm,variant=naive]")
      std::ranges::find(row.estimates, "cycles", &Estimate::name)->value = 9999;
  EXPECT_THAT(claim_contradictions(changed),
              ElementsAre(HasSubstr("in L2: time of the naive one over that with a tile: ")));
  Record& record = changed[RecordFile::Result].at("nvidia-h200");
  std::erase_if(record.rows, [](const Row& row) { return row.id == "shuffle/reduce[impl=ptx]"; });
  EXPECT_THAT(claim_contradictions(changed),
              Contains(HasSubstr("not measured yet, and claims.yaml says that it is 0.98")));
}

// Of one GPU, whatever the sweep of the probe, one machine code.
TEST(Claims, AboutCoalescingAreOfOneMachineCode) {
  for (const char* gpu : {"nvidia-h200/memory", "nvidia-h100-80gb-hbm3/memory"}) {
    for (const char* probe : {"bandwidth/coalesce_stride", "bandwidth/coalesce_stride_write"}) {
      std::set<std::string> hashes;
      for (const Row& row : committed_records().at(RecordFile::Result).at(gpu).rows)
        if (row.probe == probe) hashes.insert(row.window.sass_hash);
      EXPECT_THAT(hashes, SizeIs(1)) << gpu << " " << probe;
    }
  }
}

/// Whether a part of a command, in quotes or not, names a kernel of cases.json, a probe, a row or a file.
bool names_something(const Evidence& evidence, const std::string& word) {
  const std::string name = replace_all(word, "'", "");
  const auto& kernels = evidence.gpus.front().kernels.at("")->rows;
  const auto& rows = evidence.gpus.front().table->rows;
  return std::ranges::any_of(kernels, [&](const auto& row) { return fits_name(row.id, name); }) ||
         std::ranges::any_of(rows, [&](const auto& row) { return row.id.ends_with("/" + name); }) ||
         evidence.book.has(name) || std::filesystem::exists(WARPCLOCK_SOURCE_DIR "/" + name);
}

TEST(Claims, HaveCommandsThatNameWhatThereIs) {
  const Evidence evidence(committed_records());
  for (const ReportedClaim& claim : must(known_claims())) {
    const std::vector<std::string> words = split(claim.command, ' ');
    ASSERT_GE(words.size(), 3U) << claim.command;
    EXPECT_EQ(words[0], "warpclock");
    const std::size_t at = words[1] == "check" ? 3 : 2;
    EXPECT_TRUE(names_something(evidence, words.at(at)) || words[at] == "PROGRAM") << claim.command;
  }
}

/// Expects docs/claims.md to follow from the records. WARPCLOCK_ACCEPT=1 in the environment writes the file.
TEST(Claims, AreInTheDocumentation) {
  const Evidence evidence(committed_records());
  const std::string text = render_claims(evidence.book, must(known_claims()));
  if (std::getenv("WARPCLOCK_ACCEPT") != nullptr) testing::write(WARPCLOCK_SOURCE_DIR "/docs/claims.md", text);
  EXPECT_EQ(must(read_file(WARPCLOCK_SOURCE_DIR "/docs/claims.md")), text) << "WARPCLOCK_ACCEPT=1 cli_test writes it";
}

TEST(Claims, SaysWhatIsWrongWithTheirList) {
  const auto refused = [](const std::string& row) {
    const auto read = parse_claims("c.yaml",
                                   "claims:\n  - claim: A\n    says: B\n    condition: C\n    command: d\n"
                                   "    claimed: [1, 2]\n    holds:\n      - {says: x, " +
                                       row + "}\n");
    return read ? "nothing" : read.error().message();
  };
  const std::string of = "of: {probe: a, cases: b}";
  EXPECT_EQ(refused(of), "nothing");
  EXPECT_EQ(refused("of: {kernel: a, cases: cycles, with: {l2: warm}}, by: {kernel: b, cases: cycles}"), "nothing");
  EXPECT_THAT(refused("of: {probe: a}"), AllOf(StartsWith("c.yaml:8:"), HasSubstr("says one of 'cases'")));
  EXPECT_THAT(refused("of: {ptx: a, sass: b, cases: c}"), AllOf(StartsWith("c.yaml:8:"), HasSubstr("another table")));
  EXPECT_THAT(refused("of: {sass: a, cases: c, with: {n: 1}}"), HasSubstr("only for probes and kernels"));
  EXPECT_THAT(refused("of: {probe: a, cases: b, take: highest}"), HasSubstr("of which one is meant"));
  EXPECT_THAT(refused("by: {probe: a, cases: b}"), AllOf(StartsWith("c.yaml:8:"), HasSubstr("of")));
  EXPECT_THAT(refused(of + ", claimed: [1, 2, 3]"), AllOf(StartsWith("c.yaml:8:"), HasSubstr("is [low, high]")));
  EXPECT_THAT(refused("code: a.cu, kernel: k, has: X"), AllOf(StartsWith("c.yaml:8:"), HasSubstr("times")));
}

}  // namespace
}  // namespace warpclock
