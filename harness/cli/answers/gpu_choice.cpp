#include "cli/answers/gpu_choice.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <string_view>

#include "base/text.hpp"
#include "cli/options/options.hpp"
#include "gpu/worker/worker.hpp"
#include "model/machine.hpp"
#include "model/measured.hpp"

namespace warpclock {

CLI::Option* GpuChoice::add_options(CLI::App& command) {
  add_value(command, "--reports", "DIR", reports,
            "Folder of reports, with a folder for each GPU; without it, `reports` here, or next to the program or "
            "above it");
  return add_value(command, "--gpu", "GPU", gpu,
                   "A measured GPU: h200, h100, or the name of its folder of reports; or a GPU of this machine: its "
                   "number or UUID");
}

namespace {

/// "4090" is what a GPU is called; no machine has so many.
bool is_model_number(const std::string& word) { return word.size() > 2 && std::ranges::all_of(word, is_digit); }

}  // namespace

Expected<GpuChoice> with_device(GpuChoice choice) {
  if (!is_device(choice.gpu) || is_model_number(choice.gpu)) return choice;
  WARPCLOCK_TRY(use_gpu(choice.gpu));
  choice.gpu.clear();
  choice.here = true;
  return choice;
}

Expected<std::string> chosen_folder(const std::filesystem::path& reports, const GpuChoice& choice) {
  const auto names = WARPCLOCK_TRY(measured_gpus(reports));
  const GpuChoice chosen = WARPCLOCK_TRY(with_device(choice));
  if (!chosen.gpu.empty()) return choose_gpu(names, chosen.gpu);
  const auto worker = Worker::start();
  if (!worker) return fail("gpu", fmt::format("there is no GPU here: name a measured one by --gpu{}", hint("", names)));
  const std::string here = worker->device().slug;
  if (std::ranges::find(names, here) != names.end()) return here;
  return fail("gpu",
              fmt::format("there are no reports of {}: measure it by ./bootstrap run, or name another by --gpu{}", here,
                          hint("", names)));
}

Expected<std::vector<std::filesystem::path>> answering_folders(const GpuChoice& choice) {
  std::vector<std::filesystem::path> folders;
  const bool named = !choice.gpu.empty() || !choice.reports.empty();
  auto reports = named ? std::optional(WARPCLOCK_TRY(find_reports(choice.reports))) : WARPCLOCK_TRY(usual_reports());
  if (!reports) return folders;
  const auto names = WARPCLOCK_TRY(measured_gpus(*reports));
  if (!choice.gpu.empty()) {
    const auto chosen = WARPCLOCK_TRY(choose_gpu(names, choice.gpu));
    folders.push_back(*reports / chosen);
    return folders;
  }
  for (const std::string& name : names) folders.push_back(*reports / name);
  return folders;
}

std::string short_name(const DeviceFacts& device) {
  constexpr std::string_view maker = "NVIDIA ";
  return device.name.starts_with(maker) ? device.name.substr(maker.size()) : device.name;
}

std::string measured_when(const DeviceFacts& device, const Provenance& provenance) {
  return fmt::format("{}, measured {}", short_name(device), provenance.date.substr(0, provenance.date.find('T')));
}

Expected<Machine> load_machine(const GpuChoice& choice) {
  const auto reports = WARPCLOCK_TRY(find_reports(choice.reports));
  const auto folder = WARPCLOCK_TRY(chosen_folder(reports, choice));
  const auto& config = known_model_config();
  if (!config) return std::unexpected(config.error());
  const auto gpu = WARPCLOCK_TRY(read_measured_gpu(reports, folder));
  return make_machine(*config, gpu);
}

}  // namespace warpclock
