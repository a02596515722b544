#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/testing/files.hpp"
#include "base/testing/matchers.hpp"
#include "base/text.hpp"
#include "code/testing/listing.hpp"
#include "inspect/hazards/hazards.hpp"
#include "inspect/testing/recorded.hpp"

namespace warpclock {
namespace {

/// The slack outside of loops of five instructions that issue 6 cycles apart.
LoopSlack slack(std::vector<IssueNeed> needs) {
  const Listing listing = testing::make_listing(
      "s6 | FADD R0, R1, R2\n"
      "s6 | FADD R3, R4, R5\n"
      "s6 | FADD R6, R0, R3\n"
      "s6 | FADD R7, R0, R6\n"
      "s6 | EXIT");
  const std::vector<int> distances(5, 6);
  const auto all = slack_of(listing, flow_graph(listing, {}), distances, std::move(needs), {});
  EXPECT_THAT(all, SizeIs(1));
  return all.empty() ? LoopSlack{} : all.front();
}

TEST(Slack, IsWhatAllNeedsAcrossAStallCountLeave) {
  const IssueNeed far{.producer = 0, .reader = 2, .cycles = 12, .needed = 4, .row = "a"};
  const IssueNeed near{.producer = 1, .reader = 2, .cycles = 6, .needed = 4, .row = "b"};
  EXPECT_EQ(slack({}).slack, 0) << "nothing is awaited";
  EXPECT_EQ(slack({far}).slack, 5) << "a stall count is at least 1";
  const LoopSlack both = slack({far, near});
  EXPECT_EQ(both.slack, 2);
  ASSERT_THAT(both.places, SizeIs(1));
  EXPECT_EQ(both.places[0].row, "b") << "the need that leaves least";
  EXPECT_EQ(both.places[0].at.address, 0x20);
  EXPECT_EQ(both.issue_cycles, 30);
}

TEST(Slack, IsTakenOnceWhereNeedsOverlap) {
  const IssueNeed first{.producer = 0, .reader = 2, .cycles = 12, .needed = 9, .row = "a"};
  const IssueNeed second{.producer = 0, .reader = 3, .cycles = 18, .needed = 14, .row = "b"};
  EXPECT_EQ(slack({first, second}).slack, 3 + 1) << "what the first reader gives up the second one does not have";
}

/// A line of testdata/slack.csv: a kernel by others with and without its slack, on two boards.
struct MeasuredKernel {
  std::string name;
  double change = 0;                              ///< on the first board, as a share
  int faster = 0, slower = 0, other_results = 0;  ///< boards on which that was seen
};

std::vector<MeasuredKernel> measured_kernels() {
  std::vector<MeasuredKernel> all;
  for (const std::string& line : lines(must(read_file(testing::inspect_data + "slack.csv")))) {
    const std::vector<std::string> cells = split(line, ',');
    if (cells.size() != 18 || cells[0] == "kernel") continue;
    MeasuredKernel& one = all.emplace_back();
    one.name = cells[0];
    one.change = std::stod(cells[11]) / std::stod(cells[10]) - 1;
    for (const std::size_t board : {10U, 14U}) {
      one.faster += cells[board + 2] == "faster" ? 1 : 0;
      one.slower += cells[board + 2] == "slower" ? 1 : 0;
      one.other_results += cells[board + 3] == "true" ? 0 : 1;
    }
  }
  return all;
}

TEST(Slack, OfKernelsByOthersIsTimeThatTheyTake) {
  const std::string text = must(read_file(WARPCLOCK_SOURCE_DIR "/docs/inspect.md"));
  const std::vector<MeasuredKernel> all = measured_kernels();
  std::int64_t faster = 0;
  double most = 0;
  for (const MeasuredKernel& one : all) {
    EXPECT_EQ(one.other_results, 0) << one.name;
    const bool named = text.contains(fmt::format("`{}`, by {:.1f} %", one.name, 100 * one.change));
    EXPECT_TRUE(one.slower == 0 || named) << one.name;
    if (one.faster == 2) ++faster, most = std::max(most, -one.change);
  }
  EXPECT_GE(faster, 3);
  EXPECT_THAT(text, HasSubstr(fmt::format("Of {} Triton kernels with slack", all.size())));
  EXPECT_THAT(text, HasSubstr(fmt::format("{} are faster on both", faster)));
  EXPECT_THAT(text, HasSubstr(fmt::format("by up to {:.1f} %", 100 * most)));
}

TEST(Slack, IsNoneWhereNoRowSaysWhatIsNeeded) {
  EXPECT_EQ(slack({{.producer = 0, .reader = 2, .cycles = 12, .needed = 4}}).slack, 0);
}

}  // namespace
}  // namespace warpclock
