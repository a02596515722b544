#pragma once

#include <cstddef>
#include <functional>
#include <string>

#include "base/error.hpp"
#include "inspect/load.hpp"
#include "model/machine.hpp"
#include "predict/predict.hpp"

namespace warpclock {

/// A kernel of a file: its prediction, or why there is none. Without a name, it is what all kernels of a cubin have in
/// common.
struct PredictedKernel {
  std::string kernel;  ///< its symbol
  Expected<Prediction> prediction;
};

struct FilePredictions {
  const CubinFile& file;
  const LoadOptions& load;
  const Machine& machine;
  const PredictOptions& options;
  /// Asked before each kernel, by several threads: whether the rest is to be left out. Optional.
  std::function<bool()> stopped;
};

/// How many kernels of the file are meant by the word.
[[nodiscard]] std::size_t kernels_meant(const CubinFile& file, const std::string& word);

/// Disassembles the cubins of a file and predicts the kernels that are meant, in as many threads as there are cores.
/// `use` gets each kernel as soon as those before it are done, in the order of the file, one at a time, and how many
/// kernels are done with it. Error "no-kernel" if the file has only functions, "kernel" if none is meant.
[[nodiscard]] Expected<void> predict_file(const FilePredictions& what,
                                          const std::function<void(PredictedKernel kernel, std::size_t done)>& use);

}  // namespace warpclock
