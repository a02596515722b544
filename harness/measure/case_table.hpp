#pragma once

#include <string>
#include <vector>

#include "base/error.hpp"
#include "gpu/bench/bench.hpp"
#include "gpu/device/device.hpp"
#include "measure/compile_cases.hpp"
#include "plan/plan.hpp"
#include "record/record.hpp"

namespace warpclock {

/// The cases of a run, the results of the stages before the GPU, and the metrics that the cases may use.
struct CaseTable {
  std::vector<Case> cases;
  std::vector<CompiledCase> compiled;  ///< one for each case
  std::vector<Metric> metrics;
  std::string chip;  ///< CUPTI's name of the chip

  /// The row of case `i`, still without counters; `observation` is null if the case was not run.
  [[nodiscard]] Row row(std::size_t i, const Expected<Observation>* observation) const;

  /// The job that times case `i`.
  [[nodiscard]] Job timed_job(std::size_t i) const;

  /// The job that reads the counters of case `i`, without timing it. Error "config" on an unknown metric.
  [[nodiscard]] Expected<Job> counting_job(std::size_t i) const;

  /// Whether case `i` was timed, and its row has neither the counters that it requests nor a reason why they are
  /// missing.
  [[nodiscard]] bool wants_counters(std::size_t i, const Row& row) const;

  /// The row with its counters, or with the reason why there are none.
  [[nodiscard]] Row with_counters(std::size_t i, Row row, const Expected<Observation>& counted) const;
};

/// Exit status of a run: 1 if a row was rejected or failed. Skipped rows hold their reason, and unsteady rows have a
/// valid range, so neither counts.
[[nodiscard]] int exit_status(const std::vector<Row>& rows);

/// The estimates of a row as Google Benchmark counters; error if the row has none.
[[nodiscard]] Expected<std::vector<Figure>> figures(const Row& row);

}  // namespace warpclock
