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
FormTimesByKey tensor_times(const Record& table) {
  FormTimesByKey all;
  for (const Row& row : rows_of(table, RowKind::Form)) {
    const std::string name = name_in(row.id);
    const bool multiplies = name.starts_with("HMMA") || name.starts_with("IMMA") || name.starts_with("BMMA");
    const Estimate* interval = published(row, "interval");
    if (row.machine.scoreboard || interval == nullptr || !multiplies) continue;
    FormTimes times{static_cast<int>(std::lround(interval->value)), {}};
    for (const OperandPath& path : row.machine.paths) {
      const Estimate* least = estimate_in(row, fmt::format("minimum_stall.{}", path.source));
      if (least == nullptr) continue;
      const auto source = static_cast<std::size_t>(path.source);
      times.stalls.resize(std::max(times.stalls.size(), source + 1));
      times.stalls[source] = static_cast<int>(least->value);
    }
    if (!times.stalls.empty()) all.emplace(row.id, std::move(times));
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
