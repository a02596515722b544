#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>

#include "base/files/embedded.hpp"
#include "base/testing/matchers.hpp"
#include "fields/form_table.hpp"
#include "fields/testing/write_forms.hpp"
#include "model/testing/measured.hpp"

namespace warpclock {
namespace {

/// Of a record, the times of its tensor forms of fixed latency.
FormTimesByKey tensor_times(const MachineTable& table) {
  FormTimesByKey all;
  for (const MachineRow& row : table.rows) {
    const std::string name = name_in(row.key);
    const bool multiplies = name.starts_with("HMMA") || name.starts_with("IMMA") || name.starts_with("BMMA");
    if (row.scoreboard || !row.interval || !multiplies) continue;
    FormTimes times{static_cast<int>(std::lround(row.interval->value)), {}};
    for (const DependencyLatency& latency : row.latencies) {
      if (!latency.least_right) continue;
      const auto source = static_cast<std::size_t>(latency.source);
      times.stalls.resize(std::max(times.stalls.size(), source + 1));
      times.stalls[source] = *latency.least_right;
    }
    if (!times.stalls.empty()) all.emplace(row.key, std::move(times));
  }
  return all;
}

// Composed chains keep these distances. WARPCLOCK_ACCEPT=1 writes those of the records.
TEST(FormTimes, AreThoseThatEveryRecordHas) {
  ASSERT_GE(testing::committed_gpus().size(), 2U);
  for (const auto& [gpu, machine] : testing::committed_gpus()) {
    const FormTimesByKey measured = tensor_times(gpu.machine.value());
    ASSERT_GE(measured.size(), 80U) << gpu.folder;
    if (std::getenv("WARPCLOCK_ACCEPT") != nullptr)
      std::ofstream(WARPCLOCK_SOURCE_DIR "/harness/fields/forms/times_sm_90a.txt") << write_form_times(measured);
    for (const auto& [key, times] : measured) {
      const auto known = form_times_of(parse_arch("sm_90a").value()).find(key);
      ASSERT_NE(known, form_times_of(parse_arch("sm_90a").value()).end()) << key;
      EXPECT_EQ(known->second.stalls, times.stalls) << gpu.folder << ": " << key;
      EXPECT_EQ(known->second.interval, times.interval) << gpu.folder << ": " << key;
    }
    EXPECT_EQ(form_times_of(parse_arch("sm_90a").value()).size(), measured.size()) << gpu.folder;
  }
}

}  // namespace
}  // namespace warpclock
