#pragma once

#include <string>
#include <vector>

#include "inspect/inspection.hpp"
#include "predict/prediction.hpp"

namespace warpclock {

/// A self-contained page without scripts: the facts of each kernel, its loops, and its listing with the control fields,
/// where loops, chains that carry a result from trip to trip, and spills are marked. Everything foreign is escaped.
[[nodiscard]] std::string render_inspection(const Inspection& inspection);

/// A self-contained page: what a prediction says, and the issues of its timeline, warps over cycles with the pipes of
/// each sub-partition below.
[[nodiscard]] std::string render_predictions(const std::vector<Prediction>& predictions);

}  // namespace warpclock
