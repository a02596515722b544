#pragma once

#include <string>

#include "base/terminal.hpp"
#include "predict/prediction.hpp"

namespace warpclock {

/// A kernel's cycles, what limits them, each loop, where warps wait, and what was assumed.
[[nodiscard]] std::string prediction_text(const Prediction& prediction, const Style& style);

/// "45.5" or "45.5 to 51"
[[nodiscard]] std::string range_text(double low, double high);

/// A kernel without a prediction.
[[nodiscard]] std::string failure_text(const FailedPrediction& failed, const Style& style);

}  // namespace warpclock
