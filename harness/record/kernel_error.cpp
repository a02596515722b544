#include "record/kernel_error.hpp"

#include <algorithm>
#include <string_view>

namespace warpclock {
namespace {

/// A pipe of the sub-partitions and the unit of the SM behind it are one resource for counters.
std::string_view resource_of(std::string_view name) {
  for (const std::string_view kind : {"pipe ", "unit "}) {
    if (name.starts_with(kind)) name.remove_prefix(kind.size());
  }
  return name == "L2 atomics" ? "L2" : name;
}

}  // namespace

std::optional<SignedError> error_of(const Row& row) {
  const Estimate *predicted = estimate_in(row, "predicted"), *cycles = estimate_in(row, "cycles");
  if (predicted == nullptr || cycles == nullptr || !(cycles->value > 0)) return std::nullopt;
  constexpr double percent = 100;
  const auto of = [&](double end) { return percent * (end / cycles->value - 1); };
  return SignedError{of(predicted->low), of(predicted->high)};
}

std::optional<bool> limiter_agrees(const Row& row) {
  const KernelPart& seen = row.kernel;
  if (seen.limiter.empty() || seen.prediction.limiter.empty()) return std::nullopt;
  const auto predicted = resource_of(seen.prediction.limiter);
  if (resource_of(seen.limiter) == predicted) return true;
  if (seen.shares.empty() || seen.limiter == "one warp alone") return false;
  constexpr double nearly = 0.05;
  return std::ranges::any_of(seen.shares, [&](const ResourceShare& one) {
    return resource_of(one.name) == predicted && one.share >= seen.shares.front().share - nearly;
  });
}

}  // namespace warpclock
