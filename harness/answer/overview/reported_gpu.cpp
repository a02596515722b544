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
  for (const auto& [file, records] : reports) {
    for (const auto& [folder, record] : records) {
      const std::size_t slash = folder.find('/');
      const std::string suite = slash == folder.npos ? "" : folder.substr(slash + 1);
      const bool table = file == RecordFile::Instructions || file == RecordFile::Machine;
      if (table && !suite.empty()) continue;
      ReportedGpu& gpu = gpus[folder.substr(0, slash)];
      if (table) (file == RecordFile::Machine ? gpu.machine : gpu.table) = &record;
      if (!table) (file == RecordFile::Cases ? gpu.kernels : gpu.results).emplace(suite, &record);
    }
  }
  std::vector<ReportedGpu> all;
  for (auto& [folder, gpu] : gpus) {
    gpu.folder = folder;
    all.push_back(std::move(gpu));
  }
  return all;
}

}  // namespace warpclock
