
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "base/testing/matchers.hpp"
#include "fleet/fleet.hpp"
#include "fleet/observations.hpp"
#include "fleet/testing/records.hpp"
#include "report/page/page.hpp"

namespace warpclock {
namespace {

Fleet committed_fleet() { return judge_fleet(read_fleet(WARPCLOCK_SOURCE_DIR "/reports", {}).value()); }

// Two boards are two models. One GPU has no outliers, and the page says why.
TEST(FleetPage, OfTheCommittedGpusGroupsThemByModel) {
  const Fleet fleet = committed_fleet();
  ASSERT_EQ(fleet.models.size(), 2U);
  EXPECT_EQ(fleet.models[0].name, "NVIDIA H100 80GB HBM3");
  EXPECT_TRUE(fleet.outliers.empty());
  EXPECT_TRUE(fleet.failures.empty());
  const std::string page = fleet_json(fleet, nullptr).dump();
  EXPECT_THAT(page, HasSubstr("\"model\":\"NVIDIA H200\""));
  EXPECT_THAT(page, HasSubstr("GPUs: too few to look for outliers (5 are needed)"));
  EXPECT_THAT(to_text(fleet_sheet(fleet), Style(false)), HasSubstr("GPUs: too few to look for outliers"));
}

TEST(FleetPage, ShowsWhatIsAway) {
  FleetCollector collector("fleet");
  for (int gpu = 0; gpu < 24; ++gpu) {
    Record record = testing::gpu_record(gpu, gpu == 13 ? 530 : 500 + 0.3 * (gpu % 7));
    if (gpu == 13) {
      record.provenance.host = "<b>&\"node";
      record.device.memory_errors = {{"uncorrected", 2}, {"retired_pages", 1}};
      record.rows[0].clock.throttle = {"hw-thermal-slowdown"};
    }
    collector.add(record, record.device.uuid);
  }
  collector.add({"failed-n1-0/failure.json", "<script>alert(1)</script>"});
  const Observations observations = collector.finish();
  const Fleet fleet = judge_fleet(observations);
  const GateResult gate = gate_fleet(observations, fleet, baseline_of(fleet));
  ASSERT_EQ(fleet.outliers.size(), 1U);
  EXPECT_THAT(render_fleet(fleet, &gate), Not(HasSubstr("alert(1)")));
  const std::string page = fleet_json(fleet, &gate).dump();
  EXPECT_THAT(page, HasSubstr("hw-thermal-slowdown"));
  EXPECT_THAT(page, HasSubstr(" rows find a deviation of 2 % in 99 of 100 cases"));
  EXPECT_THAT(page, HasSubstr("uncorrected 2"));
  const auto json = fleet_json(fleet, &gate);
  EXPECT_EQ(json["outliers"].size(), 1U);
  EXPECT_EQ(json["outliers"][0]["value"], 530);
  EXPECT_EQ(json["gate"]["passed"], false);
  EXPECT_EQ(json["failures"][0]["path"], "failed-n1-0/failure.json");
}

}  // namespace
}  // namespace warpclock
