#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "gpu/bench/bench.hpp"
#include "gpu/device/device.hpp"
#include "measure/examine.hpp"
#include "plan/case.hpp"
#include "record/record.hpp"

namespace warpclock {

/// The cases of a run with what the stages before the GPU said of them, and the metrics they may use.
struct Campaign {
  std::vector<Case> cases;
  std::vector<Examined> examined;  ///< one a case
  std::vector<Metric> metrics;
  std::string chip;  ///< CUPTI's name of it

  /// The row of case `i`, without counters yet; `observation` null when it was not run.
  [[nodiscard]] CaseRecord row(std::size_t i, const Expected<Observation>* observation) const;

  /// What a worker needs to time case `i`.
  [[nodiscard]] Job timed_job(std::size_t i) const;

  /// What a worker needs to read the counters of case `i`, which is not timed then. Error "config" on an unknown
  /// metric.
  [[nodiscard]] Expected<Job> counting_job(std::size_t i) const;

  /// Whether the row of case `i` was measured but still lacks the counters it asks for.
  [[nodiscard]] bool wants_counters(std::size_t i, const CaseRecord& row) const;

  /// The row with the counters that came back, or with the reason why none did.
  [[nodiscard]] CaseRecord with_counters(std::size_t i, CaseRecord row, const Expected<Observation>& counted) const;
};

/// Of a run: 1 when a row was rejected or failed. What was skipped says why, and an unsteady row is a number of the
/// hardware, which is a range.
[[nodiscard]] int exit_status(const std::vector<CaseRecord>& rows);

/// The estimates of a row as Google Benchmark counters; error when the row has none.
[[nodiscard]] Expected<std::vector<Figure>> figures(const CaseRecord& row);

}  // namespace warpclock
