#pragma once

#include <string>

#include "predict/prediction.hpp"

namespace warpclock {

/// The issues of one sub-partition: its warps over cycles with what each waited for, below them the issue slot and its
/// pipes, and a legend. The row of what limits the kernel is marked. Empty without a timeline.
[[nodiscard]] std::string draw_timeline(const Prediction& prediction);

}  // namespace warpclock
