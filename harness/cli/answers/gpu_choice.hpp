#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "model/machine.hpp"
#include "record/record.hpp"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace warpclock {

/// Which measured GPU a command answers for. An empty `gpu` means the GPU of this machine.
struct GpuChoice {
  std::string gpu, reports;
  bool here = false;  ///< a GPU of this machine was named, and no record may answer for it

  /// Returns --gpu.
  CLI::Option* add_options(CLI::App& command);
};

/// A number or UUID in `gpu` makes that the GPU of this machine.
[[nodiscard]] Expected<GpuChoice> with_device(GpuChoice choice);

/// The folder of the chosen GPU in `reports`. Error "gpu" also if none is named and this machine has none.
[[nodiscard]] Expected<std::string> chosen_folder(const std::filesystem::path& reports, const GpuChoice& choice);

/// The folders of reports that answer without a GPU: of the chosen one, or of all measured ones. None if there are no
/// reports and none is chosen.
[[nodiscard]] Expected<std::vector<std::filesystem::path>> answering_folders(const GpuChoice& choice);

/// "H200"
[[nodiscard]] std::string short_name(const DeviceFacts& device);

/// "H200, measured 2026-11-23"
[[nodiscard]] std::string measured_when(const DeviceFacts& device, const Provenance& provenance);

/// The model of the chosen GPU.
[[nodiscard]] Expected<Machine> load_machine(const GpuChoice& choice);

}  // namespace warpclock
