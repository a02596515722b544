#include "answer/overview/reported_gpu.hpp"

#include <utility>

namespace warpclock {

const DeviceFacts& ReportedGpu::device() const {
  static const DeviceFacts unknown;
  if (!results.empty()) return results.begin()->second->device;
  if (table != nullptr) return table->device;
  if (machine != nullptr) return machine->device;
  return kernels.empty() ? unknown : kernels.begin()->second->device;
}

std::string ReportedGpu::name() const { return device().name.empty() ? folder : device().name; }

std::string ReportedGpu::page_of(const std::string& folder, const char* file) {
  return (folder.empty() ? folder : folder + "/") + file;
}

std::optional<GpuQuantity> find_quantity(const ReportedGpu& gpu, const Quantity& quantity) {
  // A suite about the quantity's subject measures it with more points than the GPU's own result, which has a few of
  // all.
  for (const Selector& place : quantity.from) {
    for (const bool own : {false, true}) {
      for (const auto& [suite, record] : gpu.results) {
        if (suite.empty() != own) continue;
        if (auto found = find_at(*record, place)) {
          found->quantity = &quantity;
          return GpuQuantity{*std::move(found), suite};
        }
      }
    }
  }
  return std::nullopt;
}

std::vector<ReportedGpu> reported_gpus(const Reports& reports) {
  std::map<std::string, ReportedGpu> gpus;
  const auto add = [&](auto ReportedGpu::*of_folder, const auto& all) {
    for (const auto& [folder, record] : all) {
      const std::size_t slash = folder.find('/');
      (gpus[folder.substr(0, slash)].*of_folder).emplace(slash == folder.npos ? "" : folder.substr(slash + 1), &record);
    }
  };
  add(&ReportedGpu::results, reports.records);
  add(&ReportedGpu::kernels, reports.kernels);
  for (const auto& [folder, table] : reports.tables) {
    if (folder.find('/') == folder.npos) gpus[folder].table = &table;
  }
  for (const auto& [folder, table] : reports.machines) {
    if (folder.find('/') == folder.npos) gpus[folder].machine = &table;
  }
  std::vector<ReportedGpu> all;
  for (auto& [folder, gpu] : gpus) {
    gpu.folder = folder;
    all.push_back(std::move(gpu));
  }
  return all;
}

}  // namespace warpclock
