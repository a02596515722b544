#pragma once

#include "base/sheet/sheet.hpp"
#include "predict/prediction.hpp"

namespace warpclock {

/// The listing of a kernel with what is predicted of each instruction in columns, and a comment where another source
/// line begins. Without rows if the prediction has no instructions.
[[nodiscard]] Table annotated_listing(const Prediction& prediction);

/// prediction_sheet() with the listing.
[[nodiscard]] Sheet annotated_sheet(const Prediction& prediction);

}  // namespace warpclock
