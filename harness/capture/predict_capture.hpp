#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/sheet/sheet.hpp"
#include "capture/capture.hpp"
#include "inspect/image/kernel_facts.hpp"
#include "inspect/load.hpp"
#include "model/machine.hpp"
#include "predict/predict.hpp"
#include "predict/prediction.hpp"

namespace warpclock {

/// What `--launch`, `--arg` and `--buffer` say, of a launch that was captured: each parameter has its bytes, and each
/// buffer that a pointer leads to its place, and from the pointer on what was kept of it. Several pointers into one
/// allocation divide it: programs that keep memory of their own put many arrays into one. Errors: "capture" if the
/// parameters were not kept or are not those of the kernel; those of read_kept().
[[nodiscard]] Expected<PredictOptions> options_of(const CapturedLaunch& launch, const KernelFacts& facts,
                                                  const std::filesystem::path& folder);

/// A captured launch on one GPU.
struct PredictedLaunch {
  std::optional<double> low_us, high_us;  ///< nothing if `cause` says why
  std::optional<double> joules;           ///< with random data; nothing if it was not asked for, or no row has it
  std::string limiter;
  std::string cause;  ///< why there is no number
};

struct CapturePredictions {
  std::vector<Machine> machines;
  std::vector<double> mhz;        ///< the SM clock by which cycles of each become time
  std::vector<double> launch_us;  ///< of each: what a launch adds to the cycles, by the empty kernel; 0: not known
  std::vector<std::vector<PredictedLaunch>> launches;  ///< by machine, then by launch
};

struct CaptureToPredict {
  const Capture& capture;
  std::filesystem::path folder;
  std::string nvdisasm;
  std::string kernel;             ///< only launches of kernels with this in their name; empty: of all
  double limit = 0;               ///< seconds for each launch and GPU
  bool annotate = false;          ///< PredictOptions::annotate
  bool energy = false;            ///< PredictOptions::energy
  std::function<bool()> stopped;  ///< whether the rest is to be left out
  std::function<void(std::size_t done)> progress;
  /// Gets all that is predicted of a launch on a machine, by several threads. Optional.
  std::function<void(std::size_t machine, std::size_t launch, const Expected<Prediction>& one)> use = {};
};

/// Predicts each launch on each GPU, from its machine code, launch and arguments alone. Needs no GPU.
[[nodiscard]] CapturePredictions predict_capture(const CaptureToPredict& what, std::vector<Machine> machines);

/// All that is predicted of one launch, by its number. Errors "option", "capture", and those of load_file() and
/// predict().
[[nodiscard]] Expected<Prediction> predict_launch(const CaptureToPredict& what, std::size_t index,
                                                  const Machine& machine);

/// Each launch and the sum by kernel, predicted and measured, and how often each cause left a launch without a number.
[[nodiscard]] Sheet sheet_of(const Capture& capture, const CapturePredictions& predictions);

/// A cause without the numbers that differ from launch to launch.
[[nodiscard]] std::string cause_kind(const std::string& cause);

}  // namespace warpclock
