#pragma once

#include <string>
#include <vector>

#include "predict/prediction.hpp"

namespace warpclock {

/// Predictions of the kernels of a file, and those that failed; prediction_schema() describes the text.
[[nodiscard]] std::string to_json(const std::vector<Prediction>& predictions,
                                  const std::vector<FailedPrediction>& failed = {});
[[nodiscard]] std::string prediction_schema();

}  // namespace warpclock
