#pragma once

#include <string>
#include <vector>

#include "base/sheet/sheet.hpp"
#include "predict/prediction.hpp"

namespace warpclock {

/// A kernel's cycles, what limits them, each loop, where warps wait, and what was assumed.
[[nodiscard]] Sheet prediction_sheet(const Prediction& prediction);

/// "45.5" or "45.5 to 51"
[[nodiscard]] std::string range_text(double low, double high);

/// A kernel without a prediction.
[[nodiscard]] Sheet failure_sheet(const FailedPrediction& failed);

/// Predictions of the kernels of a file, and those that failed; prediction_schema() describes the text.
[[nodiscard]] std::string to_json(const std::vector<Prediction>& predictions,
                                  const std::vector<FailedPrediction>& failed = {});
[[nodiscard]] std::string prediction_schema();

}  // namespace warpclock
