#pragma once

#include <optional>

#include "record/row.hpp"

namespace warpclock {

/// Signed, in percent of what was measured: from the lower and from the upper end of the prediction.
struct SignedError {
  double low = 0, high = 0;

  /// The error of the middle of the prediction.
  [[nodiscard]] double middle() const { return (low + high) / 2; }
  [[nodiscard]] bool holds() const { return low <= 0 && high >= 0; }
};

/// Nothing unless the kernel was predicted and measured.
[[nodiscard]] std::optional<SignedError> error_of(const Row& row);

/// Whether the predicted limiter is the one that counters show: the same resource, or one that is used nearly as much.
/// Nothing without a prediction or counters.
[[nodiscard]] std::optional<bool> limiter_agrees(const Row& row);

}  // namespace warpclock
