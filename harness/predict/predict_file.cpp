#include "predict/predict_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/parts.hpp"
#include "inspect/inspect.hpp"

namespace warpclock {
namespace {

/// A cubin while its kernels are predicted.
struct OpenCubin {
  std::vector<LoadedKernel> kernels;  ///< that are meant
  std::vector<std::optional<PredictedKernel>> done;
};

std::size_t kernels_meant(const CubinFile& file, std::size_t image, const std::string& name) {
  return static_cast<std::size_t>(std::ranges::count_if(
      file.facts[image], [&](const auto& one) { return one.second.entry && is_meant(one.first, name); }));
}

/// Why there is no kernel to predict.
std::unexpected<Error> nothing_meant(const CubinFile& file, const std::string& name) {
  std::vector<std::string> names;
  for (const auto& facts : file.facts) {
    for (const auto& [symbol, kernel] : facts) {
      if (kernel.entry) names.push_back(readable_name(symbol));
    }
  }
  if (names.empty())
    return fail("no-kernel", "there are only functions in it, and no kernel that calls them", file.path);
  return std::unexpected(no_such_kernel(name, names, file.path));
}

class FilePredictor {
 public:
  explicit FilePredictor(const FilePredictions& what) : what_(what), cubins_(what.file.images.size()) {}

  template <class Use>
  void run(const Use& use) {
    std::size_t used = 0;
    PartsAtOnce(
        cubins_.size(), [&](std::size_t i) { return open(i); }, [&](std::size_t i, std::size_t k) { work(i, k); },
        [&](std::size_t i, std::size_t k) {
          auto& one = cubins_[i].done[k];
          if (!one) return;
          used += one->kernel.empty() ? kernels_meant(what_.file, i, what_.load.kernel) : 1;
          use(*std::move(one), used);
        },
        [&](std::size_t i) { cubins_[i] = {}; })
        .run();
  }

 private:
  [[nodiscard]] bool stopped() const { return what_.stopped && what_.stopped(); }

  std::size_t open(std::size_t i) {
    OpenCubin& cubin = cubins_[i];
    if (stopped() || kernels_meant(what_.file, i, what_.load.kernel) == 0) return 0;
    auto kernels = caught(what_.file.path, [&] { return load_cubin(what_.file, i, what_.load); });
    // What is stopped has stopped the disassembler too.
    if (stopped()) return 0;
    if (!kernels) {
      if (cubins_.size() > 1) kernels.error().text += fmt::format(" (cubin {} of {})", i + 1, cubins_.size());
      cubin.done.emplace_back(PredictedKernel{"", std::unexpected(std::move(kernels.error()))});
      return 1;
    }
    for (LoadedKernel& kernel : *kernels) {
      if (kernel.facts.entry && is_meant(kernel.listing.kernel, what_.load.kernel))
        cubin.kernels.push_back(std::move(kernel));
    }
    cubin.done.resize(cubin.kernels.size());
    return cubin.done.size();
  }

  void work(std::size_t i, std::size_t k) {
    OpenCubin& cubin = cubins_[i];
    if (cubin.kernels.empty() || stopped()) return;
    const LoadedKernel kernel = std::exchange(cubin.kernels[k], {});
    PredictedKernel made{kernel.listing.kernel,
                         caught("", [&] { return predict(kernel, what_.machine, what_.options); })};
    if (made.prediction)
      made.prediction->file = what_.file.path;
    else
      made.prediction.error().place = what_.file.path + ": " + readable_name(made.kernel);
    cubin.done[k] = std::move(made);
  }

  const FilePredictions& what_;
  std::vector<OpenCubin> cubins_;
};

}  // namespace

std::size_t kernels_meant(const CubinFile& file, const std::string& word) {
  std::size_t all = 0;
  for (std::size_t i = 0; i < file.images.size(); ++i) all += kernels_meant(file, i, word);
  return all;
}

Expected<void> predict_file(const FilePredictions& what,
                            const std::function<void(PredictedKernel kernel, std::size_t done)>& use) {
  if (kernels_meant(what.file, what.load.kernel) == 0) return nothing_meant(what.file, what.load.kernel);
  FilePredictor(what).run(use);
  return {};
}

}  // namespace warpclock
