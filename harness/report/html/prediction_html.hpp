#pragma once

#include <string>
#include <vector>

#include "predict/prediction.hpp"

namespace warpclock {

/// A self-contained page: what a prediction says, and the issues of its timeline, warps over cycles with the pipes of
/// each sub-partition below.
[[nodiscard]] std::string render_predictions(const std::vector<Prediction>& predictions);

}  // namespace warpclock
