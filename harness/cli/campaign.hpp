#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "cli/examine.hpp"
#include "gpu/bench.hpp"
#include "gpu/device.hpp"
#include "plan/case.hpp"
#include "report/record.hpp"

namespace warpclock {

/// The cases of a run with what the stages before the GPU said of them, and the metrics they may use.
struct Campaign {
  std::vector<Case> cases;
  std::vector<Examined> examined;  ///< one a case
  std::vector<Metric> metrics;
  std::string chip;                ///< CUPTI's name of it

  /// The row of case `i`; `observation` null when it was not run.
  [[nodiscard]] CaseRecord row(std::size_t i, const Expected<Observation>* observation) const;

  /// What a worker needs to run case `i`. Error "config" on an unknown metric.
  [[nodiscard]] Expected<Job> job(std::size_t i) const;
};

/// The estimates of a row as Google Benchmark counters; error when the row is not measured.
[[nodiscard]] Expected<std::vector<Figure>> figures(const CaseRecord& row);

}  // namespace warpclock
