#pragma once

#include <vector>

#include "base/json/json_text.hpp"
#include "inspect/inspection.hpp"
#include "predict/prediction.hpp"

namespace warpclock {

/// What pages show of kernels in a file: their facts, loops and listings; and of predictions.
[[nodiscard]] Json inspection_words(const Inspection& inspection);
[[nodiscard]] Json prediction_words(const std::vector<Prediction>& predictions);

}  // namespace warpclock
