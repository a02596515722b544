#include "capture/predict_capture.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <optional>
#include <utility>

#include "base/caught.hpp"
#include "base/parts.hpp"
#include "capture/capture_file.hpp"
#include "capture/captured_launch.hpp"
#include "inspect/inspect.hpp"
#include "inspect/load.hpp"
#include "predict/predict.hpp"

namespace warpclock {
namespace {

/// The SM clock of a GPU: that which was seen while the program ran, if it ran there, else the highest.
double clock_of(const Capture& capture, const Machine& machine) {
  std::vector<double> seen;
  for (const CapturedLaunch& one : capture.launches) {
    if (one.times.sm_mhz > 0 && capture.devices[static_cast<std::size_t>(one.device)].name == machine.gpu)
      seen.push_back(one.times.sm_mhz);
  }
  if (seen.empty()) return machine.stated.sm_clock_max_mhz;
  const auto middle = seen.begin() + std::ssize(seen) / 2;
  std::ranges::nth_element(seen, middle);
  return *middle;
}

/// What a launch adds to the predicted cycles, in microseconds: what the empty kernel took beyond its own.
double launch_of(const Capture& capture, const Machine& machine, const std::vector<PredictedLaunch>& predicted) {
  std::optional<double> here, elsewhere;
  for (std::size_t i = 0; i < predicted.size(); ++i) {
    const CapturedLaunch& one = capture.launches[i];
    if (!is_beside(capture, one) || !predicted[i].low_us || one.times.runs == 0) continue;
    const bool same = capture.devices[static_cast<std::size_t>(one.device)].name == machine.gpu;
    (same ? here : elsewhere) = std::max(0.0, one.times.median_ns / 1000 - *predicted[i].low_us);
  }
  return here.value_or(elsewhere.value_or(0));
}

Expected<LoadedKernel> load(const CaptureToPredict& what, std::size_t k) {
  const CapturedKernel& kernel = what.capture.kernels[k];
  if (!kernel.missing.empty()) return fail("capture", kernel.missing);
  LoadOptions how;
  how.nvdisasm = what.nvdisasm;
  how.only = kernel.symbol;
  auto file = WARPCLOCK_TRY(load_file(what.folder / capture_code / kernel.code, how));
  for (LoadedKernel& one : file.kernels) {
    if (one.listing.kernel == kernel.symbol) return std::move(one);
  }
  return fail("capture", "its cubin has no kernel of this name");
}

Expected<Prediction> predicted(const CaptureToPredict& what, const Expected<LoadedKernel>& kernel, std::size_t index,
                               const Machine& machine) {
  if (!kernel) return std::unexpected(kernel.error());
  PredictOptions options = WARPCLOCK_TRY(options_of(what.capture.launches[index], kernel->facts, what.folder));
  options.limit = what.limit;
  return predict(*kernel, machine, options);
}

class CapturePredictor {
 public:
  CapturePredictor(const CaptureToPredict& what, CapturePredictions& made) : what_(what), made_(made) {
    for (auto& of_machine : made_.launches) of_machine.resize(what.capture.launches.size());
    by_kernel_.resize(what.capture.kernels.size());
    loaded_.resize(what.capture.kernels.size());
    for (std::size_t i = 0; i < what.capture.launches.size(); ++i) {
      const auto kernel = static_cast<std::size_t>(what.capture.launches[i].kernel);
      const bool beside = is_beside(what.capture, what.capture.launches[i]);
      if (beside || is_meant(what.capture.kernels[kernel].symbol, what.kernel)) by_kernel_[kernel].push_back(i);
    }
  }

  void run() {
    std::size_t done = 0;
    PartsAtOnce(
        by_kernel_.size(), [&](std::size_t k) { return open(k); },
        [&](std::size_t k, std::size_t part) { work(k, by_kernel_[k][part]); },
        [&](std::size_t, std::size_t) {
          if (what_.progress) what_.progress(++done);
        },
        [&](std::size_t k) { loaded_[k] = fail("capture", ""); })
        .run();
  }

 private:
  [[nodiscard]] bool stopped() const { return what_.stopped && what_.stopped(); }

  std::size_t open(std::size_t k) {
    if (by_kernel_[k].empty()) return 0;
    loaded_[k] = caught("", [&] { return load(what_, k); });
    return by_kernel_[k].size();
  }

  void work(std::size_t k, std::size_t index) {
    for (std::size_t m = 0; m < made_.machines.size(); ++m) {
      PredictedLaunch& out = made_.launches[m][index];
      if (stopped()) {
        out.cause = "it was left out";
        continue;
      }
      const auto one = caught("", [&] { return predicted(what_, loaded_[k], index, made_.machines[m]); });
      if (!one) {
        out.cause = one.error().text;
      } else if (!one->low) {
        out.cause = one->missing.empty() ? "no cause is known" : one->missing.front().why;
      } else {
        out.low_us = *one->low / made_.mhz[m], out.high_us = *one->high / made_.mhz[m];
        out.limiter = one->limiter;
      }
    }
  }

  const CaptureToPredict& what_;
  CapturePredictions& made_;
  std::vector<std::vector<std::size_t>> by_kernel_;  ///< launches
  std::vector<Expected<LoadedKernel>> loaded_;
};

}  // namespace

Expected<Prediction> predict_launch(const CaptureToPredict& what, std::size_t index, const Machine& machine) {
  if (index >= what.capture.launches.size())
    return fail("option", fmt::format("the capture has launches 0 to {}", what.capture.launches.size() - 1));
  auto made =
      predicted(what, load(what, static_cast<std::size_t>(what.capture.launches[index].kernel)), index, machine);
  if (made) made->file = what.folder.string();
  return made;
}

CapturePredictions predict_capture(const CaptureToPredict& what, std::vector<Machine> machines) {
  CapturePredictions made{.machines = std::move(machines)};
  for (const Machine& one : made.machines) made.mhz.push_back(clock_of(what.capture, one));
  made.launches.resize(made.machines.size());
  CapturePredictor(what, made).run();
  for (std::size_t m = 0; m < made.machines.size(); ++m) {
    const double launch = made.launch_us.emplace_back(launch_of(what.capture, made.machines[m], made.launches[m]));
    for (PredictedLaunch& one : made.launches[m]) {
      if (one.low_us) *one.low_us += launch, *one.high_us += launch;
    }
  }
  return made;
}

std::string cause_kind(const std::string& cause) {
  std::string kind;
  for (std::size_t i = 0; i < cause.size(); ++i) {
    const bool digit = cause[i] >= '0' && cause[i] <= '9';
    if (!digit) {
      kind += cause[i];
      continue;
    }
    const bool in_word = i > 0 && (std::isalpha(static_cast<unsigned char>(cause[i - 1])) != 0 || cause[i - 1] == '_');
    const bool hex = cause.substr(i, 2) == "0x";
    const std::size_t end =
        std::min(cause.size(), cause.find_first_not_of(hex ? "0123456789abcdefx" : "0123456789.", i));
    kind += in_word ? cause.substr(i, end - i) : "#";
    i = end - 1;
  }
  return kind;
}

}  // namespace warpclock
