#pragma once

#include <string>
#include <vector>

#include "base/json/json_text.hpp"
#include "inspect/inspection.hpp"
#include "predict/prediction.hpp"

namespace warpclock {

/// The page of a file: the facts of each kernel, its loops, and its listing with the control fields, where loops,
/// chains that carry a result from trip to trip, and spills are marked.
[[nodiscard]] std::string render_inspection(const Inspection& inspection);

/// The page of predictions: what each says, and the issues of its timeline, warps over cycles with the pipes of each
/// sub-partition below.
[[nodiscard]] std::string render_predictions(const std::vector<Prediction>& predictions);

/// What they show, for assets/inspect.js and assets/predict.js.
[[nodiscard]] Json inspection_words(const Inspection& inspection);
[[nodiscard]] Json prediction_words(const std::vector<Prediction>& predictions);

}  // namespace warpclock
