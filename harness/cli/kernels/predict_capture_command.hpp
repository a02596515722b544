#pragma once

#include <atomic>

#include "base/error.hpp"
#include "cli/kernels/predict_options.hpp"

namespace warpclock {

/// `predict` of a capture. The exit status: 0 if each launch has a number, else 1.
[[nodiscard]] Expected<int> predict_captured(const PredictCommand& command, const std::atomic<bool>& interrupted);

}  // namespace warpclock
