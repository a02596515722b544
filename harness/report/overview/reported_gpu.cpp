#include "report/overview/reported_gpu.hpp"

#include <utility>

namespace warpclock {

const DeviceFacts& ReportedGpu::device() const {
  static const DeviceFacts unknown;
  if (!results.empty()) return results.begin()->second->device;
  if (table != nullptr) return table->device;
  if (machine != nullptr) return machine->device;
  return kernels != nullptr ? kernels->device : unknown;
}

std::string ReportedGpu::name() const { return device().name.empty() ? folder : device().name; }

std::string ReportedGpu::page_of(const std::string& suite) {
  return (suite.empty() ? suite : suite + "/") + "report.html";
}

std::vector<ReportedGpu> reported_gpus(const std::map<std::string, Record>& records,
                                       const std::map<std::string, InstructionTable>& tables,
                                       const std::map<std::string, MachineTable>& machines,
                                       const std::map<std::string, KernelTable>& kernels) {
  std::map<std::string, ReportedGpu> gpus;
  for (const auto& [folder, record] : records) {
    const std::size_t slash = folder.find('/');
    gpus[folder.substr(0, slash)].results.emplace(slash == folder.npos ? "" : folder.substr(slash + 1), &record);
  }
  for (const auto& [folder, table] : tables) {
    if (folder.find('/') == folder.npos) gpus[folder].table = &table;
  }
  for (const auto& [folder, table] : machines) {
    if (folder.find('/') == folder.npos) gpus[folder].machine = &table;
  }
  for (const auto& [folder, table] : kernels) {
    if (folder.find('/') == folder.npos) gpus[folder].kernels = &table;
  }
  std::vector<ReportedGpu> all;
  for (auto& [folder, gpu] : gpus) {
    gpu.folder = folder;
    all.push_back(std::move(gpu));
  }
  return all;
}

}  // namespace warpclock
