#include "answer/sections/handoff.hpp"

#include <gtest/gtest.h>

#include "base/testing/matchers.hpp"
#include "record/testing/record.hpp"

namespace warpclock {
namespace {

CaseRecord handoff(const std::string& probe, const std::string& by, std::int64_t apart, double round_trip) {
  CaseRecord row = testing::example_case("synchronization/" + probe, {{"by", by}, {"apart", apart}}, "SYNCS");
  row.clock.sm_mhz = 2000;
  row.estimates = {{"round_trip", round_trip, round_trip, round_trip, "cycles", "slope"}};
  return row;
}

Record handoff_record() {
  Record record;
  record.cases = {handoff("handoff_cluster", "st_async", 1, 300), handoff("handoff_cluster", "flag", 1, 400),
                  handoff("handoff", "flag", 1, 210), handoff("handoff", "flag", 4, 200),
                  handoff("handoff", "mbarrier_try", 1, 80)};
  testing::refuse(record.cases[0], Outcome::Failed, {"run", "fault", "it <faulted>"});
  return record;
}

Handoffs handoffs_of(const Record& record) { return handoffs(known_kernel_design()->handoffs, record); }

TEST(Handoffs, AreHalfOfTheShortestWayThereAndBack) {
  const Record record = handoff_record();
  const Handoffs all = handoffs_of(record);
  ASSERT_THAT(all.measured, SizeIs(3));
  EXPECT_EQ(all.measured[0].by + all.measured[1].by + all.measured[2].by, "mbarrier_tryflagflag");
  const Handoff& flag = all.measured[1];
  EXPECT_EQ(flag.within, "block");
  EXPECT_EQ(flag.cycles, 100);
  EXPECT_EQ(flag.longest, 105);
  EXPECT_EQ(flag.cases, 2u);
  EXPECT_EQ(flag.row, &record.cases[3]);
  EXPECT_EQ(all.measured[2].within, "cluster");
}

TEST(Handoffs, NameTheMechanismsOfWhichNoCaseWasMeasured) {
  Record record = handoff_record();
  testing::refuse(record.cases[2], Outcome::Rejected, {"analyze", "nonlinear", "no line"});
  const Handoffs all = handoffs_of(record);
  ASSERT_THAT(all.missing, SizeIs(1)) << "one of the flag's cases is left";
  EXPECT_EQ(all.missing[0].first, "st_async, cluster");
  EXPECT_EQ(all.missing[0].second, &record.cases[0]);
  EXPECT_THAT(handoffs_of(Record{}).measured, IsEmpty());
}

}  // namespace
}  // namespace warpclock
