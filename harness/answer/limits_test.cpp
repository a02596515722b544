#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "answer/numbers/figures.hpp"
#include "base/testing/matchers.hpp"
#include "plan/config/stanza.hpp"
#include "plan/plan.hpp"
#include "plan/testing/corpus.hpp"
#include "record/assemble.hpp"
#include "record/testing/committed.hpp"

namespace warpclock {
namespace {

/// The cases of all suites, with the current measures of the configs.
std::map<std::string, Case> cases_for(const Suite& suite, const DeviceFacts& device) {
  std::map<std::string, Case> by_id;
  for (const char* name : {"full", "memory", "kernels"}) {
    auto cases = plan(suite, parse_arch(device.arch).value_or(Arch{}), Filter{name, {}});
    if (!cases) continue;
    with_memory_limits(*cases, device);
    for (Case& one : *cases) by_id.emplace(one.id, std::move(one));
  }
  return by_id;
}

TEST(Limits, HoldForAllCommittedSamples) {
  const auto suite = must(load_suite(corpus::committed()));
  const std::vector<Record> records = testing::committed_results();
  ASSERT_FALSE(records.empty());
  int limited = 0;
  for (const Record& record : records) {
    const auto cases = cases_for(suite, record.device);
    for (Row row : record.rows) {
      const auto found = cases.find(row.id);
      if (row.outcome != Outcome::Measured || found == cases.end()) continue;
      row.measures = found->second.measures;
      // A fact, or that the slowest block counts, may be younger than the record.
      const bool has_longest =
          std::ranges::any_of(row.samples, [](const Series& series) { return !series.longest.empty(); });
      std::erase_if(row.measures, [&](const Measure& one) {
        return (one.method == Method::Fact && !row.facts.contains(one.source)) ||
               (one.method == Method::Slowest && !has_longest);
      });
      if (row.measures.empty()) continue;
      row = reanalyze(std::move(row));
      EXPECT_EQ(row.outcome, Outcome::Measured) << record.device.slug << " " << row.id << ": " << row.reason.text;
      limited += std::ranges::any_of(found->second.measures, [](const Measure& m) { return m.limit.value > 0; });
    }
  }
  EXPECT_GT(limited, 500);
}

TEST(Limits, NoCommittedRowIsRejectedForWhatItsFootprintDoes) {
  const auto suite = must(load_suite(corpus::committed()));
  for (const Record& record : testing::committed_results()) {
    const auto cases = cases_for(suite, record.device);
    for (Row row : record.rows) {
      const auto found = cases.find(row.id);
      if (row.outcome != Outcome::Rejected || found == cases.end()) continue;
      row.measures = found->second.measures;
      if (std::ranges::all_of(row.measures, [](const Measure& one) { return one.unsteady.empty(); })) continue;
      row = reanalyze(std::move(row));
      EXPECT_NE(row.outcome, Outcome::Rejected) << row.id << ": " << row.reason.text;
    }
  }
}

}  // namespace
}  // namespace warpclock
