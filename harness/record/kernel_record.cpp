#include "record/kernel_record.hpp"

#include <algorithm>
#include <string_view>

namespace warpclock {
namespace {

/// A pipe of the sub-partitions and the unit of the SM behind it are one resource for counters.
std::string_view resource_of(std::string_view name) {
  for (const std::string_view kind : {"pipe ", "unit "}) {
    if (name.starts_with(kind)) name.remove_prefix(kind.size());
  }
  return name;
}

}  // namespace

std::optional<SignedError> error_of(const KernelRow& row) {
  if (!row.measurement || !row.prediction.refused.empty() || !(row.measurement->cycles > 0)) return std::nullopt;
  constexpr double percent = 100;
  const auto of = [&](double predicted) { return percent * (predicted / row.measurement->cycles - 1); };
  return SignedError{of(row.prediction.low), of(row.prediction.high)};
}

std::optional<bool> limiter_agrees(const KernelRow& row) {
  if (!row.measurement || row.measurement->limiter.empty() || row.prediction.limiter.empty()) return std::nullopt;
  const KernelMeasurement& seen = *row.measurement;
  const auto predicted = resource_of(row.prediction.limiter);
  if (resource_of(seen.limiter) == predicted) return true;
  if (seen.shares.empty() || seen.limiter == "one warp alone") return false;
  constexpr double nearly = 0.05;
  return std::ranges::any_of(seen.shares, [&](const ResourceShare& one) {
    return resource_of(one.name) == predicted && one.share >= seen.shares.front().share - nearly;
  });
}

}  // namespace warpclock
