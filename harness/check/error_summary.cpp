#include "check/error_summary.hpp"

#include <cmath>
#include <utility>
#include <vector>

#include "gpu/job/statistics.hpp"

namespace warpclock {

ErrorSummary summary_of(std::span<const KernelRow> rows) {
  ErrorSummary all;
  std::vector<double> sizes;
  for (const KernelRow& row : rows) {
    if (const auto agrees = limiter_agrees(row)) {
      ++all.decided;
      all.agreed += *agrees ? 1U : 0U;
    }
    const auto error = error_of(row);
    if (!error) continue;
    sizes.push_back(std::abs(error->middle()));
    if (all.count++ > 0 && sizes.back() <= std::abs(all.worst)) continue;
    all.worst = error->middle();
    all.worst_id = row.id;
  }
  if (!sizes.empty()) all.median = median(sorted_finite(std::move(sizes)));
  return all;
}

}  // namespace warpclock
