#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "base/files/file.hpp"
#include "base/lookup.hpp"
#include "base/testing/matchers.hpp"
#include "gpu/counters/counters.hpp"
#include "gpu/counters/metric.hpp"
#include "plan/config/stanza.hpp"

namespace warpclock {
namespace {

// CUPTI's host interface also lists chips before sm_80 (GV100, GV11B, TU1xx), on which no probe is verified.
bool before_sm80(const std::string& chip) { return chip.starts_with("GV") || chip.starts_with("TU"); }

std::vector<std::string> chips_from_sm80() {
  std::vector<std::string> chips = counter_chips();
  std::erase_if(chips, before_sm80);
  return chips;
}

std::vector<Metric> catalogue() {
  const std::string path = "configs/counters.yaml";
  const auto text = must(read_file(std::string(WARPCLOCK_SOURCE_DIR) + "/" + path));
  return must(load_suite({{path, text}})).metrics;
}

/// The metrics that `chip` lacks, one line for each.
std::vector<std::string> gaps(const std::vector<Metric>& metrics, const std::string& chip) {
  std::vector<std::string> names;
  for (const Metric& metric : metrics) {
    const std::vector<std::string>& counters = counters_on(metric, chip);
    names.insert(names.end(), counters.begin(), counters.end());
  }
  const auto unknown = unknown_metrics(chip, names);
  if (!unknown) return {fmt::format("{}: {}", chip, unknown.error().text)};
  return mapped(*unknown, [&](const std::string& name) { return fmt::format("{} has no {}", chip, name); });
}

/// What is wrong with the metrics, one line for each fault.
std::vector<std::string> faults(const std::vector<Metric>& metrics, const std::vector<std::string>& chips) {
  std::vector<std::string> found;
  for (const std::string& chip : chips) {
    for (std::string& gap : gaps(metrics, chip)) found.push_back(std::move(gap));
  }
  for (const Metric& metric : metrics) {
    for (const ChipCounters& exception : metric.chips) {
      for (const std::string& chip : exception.chips) {
        if (std::ranges::find(chips, chip) == chips.end()) {
          found.push_back(fmt::format("{}: no chip is called {}", metric.place, chip));
        } else if (const auto unknown = unknown_metrics(chip, metric.counters); unknown && unknown->empty()) {
          found.push_back(fmt::format("{}: {} is no exception", metric.place, chip));
        }
      }
    }
  }
  return found;
}

class MetricsCatalogue : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!counters_built()) GTEST_SKIP() << "this build has no CUPTI";
  }
};

TEST_F(MetricsCatalogue, NamesCountersThatEveryChipHas) {
  const std::vector<std::string> chips = chips_from_sm80();
  for (const char* chip : {"GA100", "GA102", "GH100", "AD102", "GB100", "GB202"}) EXPECT_THAT(chips, Contains(chip));
  const std::vector<Metric> metrics = catalogue();
  EXPECT_THAT(metrics, Not(IsEmpty()));
  for (const std::string& fault : faults(metrics, chips)) ADD_FAILURE() << fault;
}

TEST_F(MetricsCatalogue, WouldNoticeAWrongName) {
  const std::vector<std::string> chips = chips_from_sm80();
  ASSERT_THAT(chips, Contains("GH100"));
  Metric metric;
  metric.counters = {"lts__t_sectors.sum"};
  EXPECT_THAT(faults({metric}, chips), IsEmpty());
  metric.counters = {"lts__t_sectors.sum", "lts__t_sector.sum"};
  EXPECT_THAT(faults({metric}, chips), SizeIs(chips.size()));
  metric.counters = {"lts__t_sectors.total"};
  EXPECT_THAT(faults({metric}, chips), SizeIs(chips.size()));

  metric.counters = {"lts__t_sectors.sum"};
  metric.chips = {{{"GH100"}, {"lts__t_sector.sum"}}};
  EXPECT_THAT(faults({metric}, chips), SizeIs(2)) << "a wrong name on GH100, and no need for it";
  metric.chips = {{{"GX999"}, {}}};
  EXPECT_THAT(faults({metric}, chips), SizeIs(1));
}

// The number of passes determines how long a counted case takes. A metric that needs more than this is not worth its
// cost.
TEST_F(MetricsCatalogue, NeedsFewPasses) {
  for (const Metric& metric : catalogue()) {
    for (const char* chip : {"GA100", "GH100", "GB100", "GB202"}) {
      const auto passes = counter_passes(chip, counters_on(metric, chip));
      ASSERT_TRUE(passes) << chip << " " << metric.name << ": " << passes.error().text;
      EXPECT_LE(*passes, 2u) << chip << " " << metric.name;
    }
  }
}

}  // namespace
}  // namespace warpclock
