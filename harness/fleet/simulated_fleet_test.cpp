#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/files/packed_file.hpp"
#include "base/testing/files.hpp"
#include "fleet/fleet.hpp"
#include "fleet/observations.hpp"
#include "fleet/testing/simulated.hpp"
#include "measure/inputs.hpp"
#include "plan/plan.hpp"

namespace warpclock {
namespace {

std::set<std::string> quick_ids() {
  const Inputs inputs = load_inputs({}).value();
  std::set<std::string> ids;
  const std::vector<Case> cases = plan(inputs.suite, parse_arch("sm_90a").value(), Filter{"quick", {}}).value();
  for (const Case& one : cases) ids.insert(one.id);
  return ids;
}

/// The suite full, which has every row of quick.
std::string committed_rows() {
  return read_packed_file(WARPCLOCK_SOURCE_DIR "/reports/nvidia-h200/result.json.gz").value();
}

using Key = std::pair<std::string, std::string>;

struct Score {
  std::size_t planted = 0, found = 0, showable = 0, showable_found = 0, false_alarms = 0, clean = 0, able_rows = 0,
              rows = 0;
};

/// `showable`: in rows that say that they find 2 %.
Score score_of(const Fleet& fleet, const std::vector<testing::Planted>& planted, double share) {
  const FleetModel& model = fleet.models.front();
  std::map<Key, std::size_t> rows;
  Score score;
  for (std::size_t i = 0; i < model.rows.size(); ++i) {
    rows.emplace(Key(model.rows[i].id, model.rows[i].estimate), i);
    if (!model.rows[i].not_judged.empty()) continue;
    ++score.rows;
    score.able_rows += model.rows[i].detects > 0 && model.rows[i].detects <= share ? 1 : 0;
  }
  std::map<std::string, std::size_t> folders;
  for (std::size_t i = 0; i < fleet.gpus.size(); ++i) folders.emplace(fleet.gpus[i].folder, i);
  std::set<std::pair<std::size_t, std::size_t>> alarms;
  for (const FleetOutlier& one : fleet.outliers) alarms.emplace(one.gpu, one.row);
  std::size_t hits = 0;
  for (const testing::Planted& one : planted) {
    const auto row = rows.find({one.id, one.estimate});
    if (row == rows.end() || !model.rows[row->second].not_judged.empty()) continue;
    const bool found = alarms.contains({folders.at(fmt::format("gpu{:05}", one.gpu)), row->second});
    const double detects = model.rows[row->second].detects;
    const bool able = detects > 0 && detects <= share;
    ++score.planted;
    score.found += found ? 1 : 0;
    score.showable += able ? 1 : 0;
    score.showable_found += able && found ? 1 : 0;
    hits += found ? 1 : 0;
  }
  score.false_alarms = alarms.size() - hits;
  score.clean = model.tests - score.planted;
  return score;
}

// WARPCLOCK_FLEET_GPUS is the size of the fleet, and WARPCLOCK_FLEET_DIR a folder that keeps it.
TEST(SimulatedFleet, HasItsPlantedDeviationsFoundAndFewOthers) {
  const char* size = std::getenv("WARPCLOCK_FLEET_GPUS");
  const char* kept = std::getenv("WARPCLOCK_FLEET_DIR");
  const std::size_t gpus = size == nullptr ? 200 : std::stoul(size);
  const testing::TemporaryFolder own;
  const std::string folder = kept == nullptr ? own.path() : kept;
  constexpr double share = 0.02;
  const testing::SimulatedFleet simulated(committed_rows(), quick_ids());
  const auto planted = simulated.write(folder, gpus, share);
  const Observations observations = read_fleet(folder, {}).value();
  ASSERT_EQ(observations.gpus.size(), gpus);
  ASSERT_TRUE(observations.failures.empty()) << observations.failures.front().text;
  const Score score = score_of(judge_fleet(observations), planted, share);
  fmt::print(
      "{} GPUs, {} numbers each; {} rows judged, of which {} say that they find 2 %\n"
      "planted {}, found {} ({:.2f} %); in rows that find 2 %: {} of {} ({:.2f} %); false alarms {} of {} GPU-rows\n",
      gpus, simulated.numbers(), score.rows, score.able_rows, score.planted, score.found,
      100.0 * static_cast<double>(score.found) / static_cast<double>(score.planted), score.showable_found,
      score.showable, 100.0 * static_cast<double>(score.showable_found) / static_cast<double>(score.showable),
      score.false_alarms, score.clean);
  EXPECT_GE(score.showable, gpus / 20);
  EXPECT_GE(static_cast<double>(score.showable_found), 0.99 * static_cast<double>(score.showable));
  EXPECT_LT(static_cast<double>(score.false_alarms), 1e-3 * static_cast<double>(score.clean));
}

}  // namespace
}  // namespace warpclock
