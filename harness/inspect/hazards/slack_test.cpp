#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "code/testing/listing.hpp"
#include "inspect/hazards/hazards.hpp"

namespace warpclock {
namespace {

using ::testing::SizeIs;

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

TEST(Slack, IsNoneWhereNoRowSaysWhatIsNeeded) {
  EXPECT_EQ(slack({{.producer = 0, .reader = 2, .cycles = 12, .needed = 4}}).slack, 0);
}

}  // namespace
}  // namespace warpclock
