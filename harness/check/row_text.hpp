#pragma once

#include <string>

#include "base/terminal.hpp"
#include "record/kernel_record.hpp"

namespace warpclock {

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
