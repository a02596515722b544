#pragma once

#include <span>
#include <string>
#include <vector>

#include "record/kernel_record.hpp"

namespace warpclock {

/// The errors of rows that were predicted and measured, in percent, by the middle of the prediction.
struct ErrorSummary {
  std::size_t count = 0;
  double median = 0;  ///< of the absolute errors
  double within = 0;  ///< 95 % of the absolute errors are not larger
  double worst = 0;   ///< signed, the one with the largest absolute value
  std::string worst_id;
  std::size_t decided = 0, agreed = 0;  ///< rows whose limiter counters show, and those where the prediction agrees
};

[[nodiscard]] ErrorSummary summary_of(std::span<const KernelRow> rows);

/// "all: 24 kernels, median error 2.1 %, 95 % within 9.0 %, worst -18.2 % (softmax[…]); the limiter is right in 20 of
/// 24", then those of parts of the rows. Parts without errors are left out.
[[nodiscard]] std::vector<std::string> error_lines(std::span<const KernelRow> rows);

}  // namespace warpclock
