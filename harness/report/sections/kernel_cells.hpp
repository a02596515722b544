#pragma once

#include <string>
#include <vector>

#include "record/kernel_record.hpp"

namespace warpclock {

/// What pages show of a row; cells are plain text.
struct KernelCells {
  std::string point;  ///< "variant=naive,size=4096"; "-" without parameters
  std::string predicted, measured, error, predicted_limiter, measured_limiter, agrees, library;
};

[[nodiscard]] KernelCells kernel_cells(const KernelRow& row);

/// The rows of one study, in the order of the table.
struct KernelStudyRows {
  std::string study, says;
  std::vector<const KernelRow*> rows;
  bool compared = false;  ///< whether a row has a library to compare with
};
[[nodiscard]] std::vector<KernelStudyRows> studies_of(const KernelTable& table);

/// Counts, errors, and how often the limiter is right: of all rows, and of those that were held out.
[[nodiscard]] std::vector<std::string> kernel_summary(const KernelTable& table);

/// Why rows have no measurement or no prediction: "softmax[…]: watchdog: no answer in 10 s".
[[nodiscard]] std::vector<std::string> kernel_gaps(const KernelTable& table);

/// The title of the page: what was predicted and measured, and on which GPU. It names the study if there is one only.
[[nodiscard]] std::string kernel_title(const KernelTable& table);

/// What the columns of the table mean.
[[nodiscard]] std::string kernel_legend(const KernelTable& table);

}  // namespace warpclock
