#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "cli/answers/gpu_choice.hpp"
#include "predict/predict.hpp"

namespace warpclock {

/// What the command line of `predict` says.
struct PredictCommand {
  std::string file, kernel, launch, counts, page, trace, nvdisasm;
  std::vector<std::string> trips, hits, strides, arguments, buffers, include;
  int warps = 0;
  std::int64_t pick = -1;  ///< the launch of a capture; -1: all
  bool json = false, csv = false;
  PredictOptions what{.limit = 60};
  GpuChoice gpu;
};

/// Error "option" if a launch, trips, a level, a stride or an argument cannot be read; those of parse_counts() with the
/// file.
[[nodiscard]] Expected<PredictOptions> options_of(const PredictCommand& command);

/// `predict` of a capture. The exit status: 0 if each launch has a number, else 1.
[[nodiscard]] Expected<int> predict_captured(const PredictCommand& command, const std::atomic<bool>& interrupted);

}  // namespace warpclock
