#include "record/near_row.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <vector>

#include "base/files/packed_file.hpp"
#include "base/lookup.hpp"
#include "base/testing/matchers.hpp"
#include "record/json/record_json.hpp"
#include "record/testing/machine.hpp"

namespace warpclock {
namespace {

Row row_of(const std::string& key, int latency, double interval, const std::string& pipe = "alu") {
  Row row = testing::machine_row(key, key, {}, interval);
  testing::add_fixed(row, 0, "R1", latency);
  row.pipes = {pipe};
  return row;
}

TEST(NearRow, DiffersOnlyInWhatPairsOfRowsShowNotToMatter) {
  const std::vector rows{row_of("@PT IADD3 R#, R#, R#, R#", 4, 2), row_of("@PT IADD3 R#, -R#, R#, R#", 4, 2),
                         row_of("@PT IADD3 R#, R#, R#, RZ", 4, 2)};
  const auto near = RowPairs(rows).near("@PT IADD3 R#, -R#, R#, RZ");
  ASSERT_TRUE(near);
  EXPECT_EQ(near->row->id, "@PT IADD3 R#, -R#, R#, R#");
  EXPECT_TRUE(near->latencies && near->interval);
  ASSERT_EQ(near->because.size(), 1u);
  EXPECT_EQ(in_words(near->because[0].change), "RZ or R#");
  EXPECT_EQ(near->because[0].pairs, 1u);
  EXPECT_EQ(near->because[0].among, "IADD3");
}

TEST(NearRow, IsNoneForADifferenceThatMattersOrThatNoPairHas) {
  const std::vector rows{row_of("@PT LDS R#, [R#+#]", 23, 2), row_of("@PT LDS.128 R#, [R#+#]", 32, 8),
                         row_of("@PT IADD3 R#, R#, R#, R#", 4, 2)};
  const RowPairs pairs(rows);
  EXPECT_FALSE(pairs.near("@PT LDS.128.U R#, [R#+#]")) << "no pair has U";
  EXPECT_FALSE(pairs.near("@PT IADD3.128 R#, R#, R#, R#")) << "128 matters elsewhere";
  EXPECT_FALSE(pairs.near("@PT IADD3 R#, R#, R#")) << "another instruction";
}

TEST(NearRow, KeepsTheNumberThatHolds) {
  const std::vector rows{row_of("@PT FFMA R#, R#, R#, R#", 4, 2), row_of("@PT FFMA R#, R#, UR#, R#", 5, 2),
                         row_of("@PT FFMA.SAT R#, R#, R#, R#", 4, 2)};
  const auto near = RowPairs(rows).near("@PT FFMA.SAT R#, R#, UR#, R#");
  ASSERT_TRUE(near);
  EXPECT_EQ(near->row->id, "@PT FFMA R#, R#, UR#, R#") << "the latency holds too";
  EXPECT_TRUE(near->latencies);
  const auto other = RowPairs(rows).near("@PT FFMA R#, UR#, R#, R#");
  ASSERT_TRUE(other);
  EXPECT_FALSE(other->latencies);
  EXPECT_TRUE(other->interval);
}

TEST(NearRow, OfAnotherOpcodeCountOnlyEnoughPairs) {
  std::vector rows{row_of("@PT IADD3 R#, R#, R#", 4, 2), row_of("@PT IADD3 R#, -R#, R#", 4, 2),
                   row_of("@PT LEA R#, R#, R#", 4, 2),   row_of("@PT LEA R#, -R#, R#", 4, 2),
                   row_of("@PT LOP3 R#, R#, R#", 4, 2),  row_of("@PT FSEL R#, R#, R#", 4, 2)};
  EXPECT_FALSE(RowPairs(rows).near("@PT FSEL R#, R#, -R#")) << "two pairs of the pipe";
  rows.push_back(row_of("@PT LOP3 R#, -R#, R#", 4, 2));
  const auto near = RowPairs(rows).near("@PT FSEL R#, R#, -R#");
  ASSERT_TRUE(near);
  EXPECT_EQ(near->because.front().among, "pipe alu");
  EXPECT_EQ(near->because.front().pairs, 3u);
}

TEST(NearRow, GoesByWayOfAThird) {
  const std::vector rows{row_of("@PT IADD3 R#, R#, R#", 4, 2), row_of("@PT IADD3 R#, -R#, R#", 4, 2),
                         row_of("@PT IADD3.X R#, -R#, R#", 4, 2), row_of("@PT IADD3.X R#, |R#|, R#", 4, 2),
                         row_of("@PT IADD3.HI R#, R#, R#, R#", 4, 2)};
  const auto near = RowPairs(rows).near("@PT IADD3.HI R#, |R#|, R#, R#");
  ASSERT_TRUE(near);
  EXPECT_EQ(near->row->id, "@PT IADD3.HI R#, R#, R#, R#");
  ASSERT_EQ(near->because.size(), 2u);
  EXPECT_EQ(in_words(near->because[0].change), "- or none");
  EXPECT_EQ(in_words(near->because[1].change), "| or -");
}

/// Atomics in L2 and fences of more than a block: places in L2 and the host change them by some per cent from run to
/// run.
bool leaves_the_sm(const std::string& key) { return key.contains(" ATOMG.") || key.contains(" MEMBAR."); }

bool about_the_same(double a, double b) { return std::abs(a - b) <= 0.25 * std::max(a, b); }

TEST(NearRow, DoesNotAnswerForAnotherFence) {
  const std::vector rows{row_of("@PT MEMBAR.SC.GPU", 4, 2), row_of("@PT MEMBAR.ALL.GPU", 4, 2),
                         row_of("@PT MEMBAR.SC.SYS", 4, 2)};
  EXPECT_FALSE(RowPairs(rows).near("@PT MEMBAR.ALL.SYS"));
}

/// Every row of the committed tables is answered for as if it were not there. What then has a number has the row's.
TEST(NearRow, HasTheNumbersOfTheRowsThatItStandsFor) {
  std::size_t tables = 0;
  for (const auto& folder : std::filesystem::directory_iterator(WARPCLOCK_SOURCE_DIR "/reports")) {
    const auto text = read_packed_file(folder.path() / "machine.json");
    if (!text) continue;
    ++tables;
    const Record table = must(parse_record(*text, "machine.json", {{RecordFile::Machine}}));
    const RowPairs pairs(table.rows);
    std::size_t latencies = 0, intervals = 0;
    std::vector<std::string> wrong;
    for (const Row& row : rows_of(table, RowKind::Form)) {
      const auto near = pairs.near(row.id, &row);
      if (!near) continue;
      const Estimate* interval = estimate_in(row, "interval");
      if (near->interval && interval != nullptr) {
        ++intervals;
        const double found = estimate_in(*near->row, "interval")->value, own = interval->value;
        const bool same = leaves_the_sm(row.id) ? about_the_same(own, found) : same_interval(own, found);
        if (!same) wrong.push_back("interval " + row.id);
      }
      for (const Estimate& one : row.estimates) {
        const Estimate* by = one.name.starts_with("latency.") ? estimate_in(*near->row, one.name) : nullptr;
        if (!near->latencies || by == nullptr) continue;
        ++latencies;
        const double found = by->value, own = one.value;
        const bool same = leaves_the_sm(row.id) ? about_the_same(own, found) : same_latency(own, found);
        if (!same) wrong.push_back("latency " + row.id);
      }
    }
    EXPECT_GT(intervals, 1900u) << folder.path();
    EXPECT_GT(latencies, 2500u) << folder.path();
    // One pair of the opcode agreed, and the next one, which is this row, does not.
    EXPECT_THAT(wrong,
                ::testing::UnorderedElementsAre("latency @PT HADD2 R#, R#, RZ.H0_H0", "interval @PT I2F.U64.RP R#, UR#",
                                                "interval @PT SHFL.IDX P#, R#, R#, R#, R#",
                                                "interval @PT SYNCS.ARRIVE.TRANS64.RED.A0TX RZ, [R#+URZ+#], RZ"))
        << folder.path();
  }
  EXPECT_GE(tables, 2u);
}

}  // namespace
}  // namespace warpclock
