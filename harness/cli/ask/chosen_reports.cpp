#include "cli/ask/chosen_reports.hpp"

#include <CLI/CLI.hpp>
#include <filesystem>

#include "base/text.hpp"
#include "cli/options/options.hpp"
#include "cli/report_folder.hpp"
#include "model/measured.hpp"

namespace warpclock {

void add_reports_options(CLI::App& command, GpuChoice& choice) {
  add_value(command, "--gpu", "GPU", choice.gpu,
            "Measured GPUs, h100,h200, or names of their folders of reports; without it all of them");
  add_value(command, "--reports", "DIR", choice.reports,
            "Folder of reports, with a folder for each GPU; without it, `reports` here, or next to the program or "
            "above it");
}

Expected<Reports> chosen_reports(const GpuChoice& choice) {
  const auto folder = WARPCLOCK_TRY(find_reports(choice.reports));
  const std::vector<std::string> all = measured_gpus(folder);
  std::vector<std::string> names = all;
  if (!choice.gpu.empty()) {
    names.clear();
    for (const std::string& word : split(choice.gpu, ',')) names.push_back(WARPCLOCK_TRY(choose_gpu(all, word)));
  }
  Reports reports;
  for (const std::string& name : names) WARPCLOCK_TRY(read_gpu(reports, folder / name, name));
  return reports;
}

}  // namespace warpclock
