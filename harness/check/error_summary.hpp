#pragma once

#include <span>
#include <string>

#include "record/kernel_record.hpp"

namespace warpclock {

/// The errors of rows that were predicted and measured, in percent, by the middle of the prediction.
struct ErrorSummary {
  std::size_t count = 0;
  double median = 0;  ///< of the absolute errors
  double worst = 0;   ///< signed, the one with the largest absolute value
  std::string worst_id;
  std::size_t decided = 0, agreed = 0;  ///< rows whose limiter counters show, and those where the prediction agrees
};

[[nodiscard]] ErrorSummary summary_of(std::span<const KernelRow> rows);

}  // namespace warpclock
