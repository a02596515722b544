#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/terminal.hpp"
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

/// "-5.8 %", or "-5.8 to +1.0 %" if the prediction is a range.
[[nodiscard]] std::string error_text(const SignedError& error);

/// "L2 91 %, issue 40 %": the highest few.
[[nodiscard]] std::string shares_text(const std::vector<ResourceShare>& shares, std::size_t most = 3);

/// "82 % of cuBLAS 13.1.0", or that the library was not timed; empty without a library to compare with.
[[nodiscard]] std::string library_text(const KernelRow& row);

/// A case: what was predicted, what was measured, and what limits it by each.
[[nodiscard]] std::string row_text(const KernelRow& row, const Style& style);

/// "48 measured, 2 failed; 3 without a prediction", and the lines of error_lines().
[[nodiscard]] std::string table_text(const KernelTable& table);

}  // namespace warpclock
