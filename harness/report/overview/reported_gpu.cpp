#include "report/overview/reported_gpu.hpp"

namespace warpclock {

const DeviceFacts& ReportedGpu::device() const {
  static const DeviceFacts unknown;
  if (!results.empty()) return results.begin()->second->device;
  if (table != nullptr) return table->device;
  return machine != nullptr ? machine->device : unknown;
}

std::string ReportedGpu::name() const { return device().name.empty() ? folder : device().name; }

std::string ReportedGpu::page_of(const std::string& suite) {
  return (suite.empty() ? suite : suite + "/") + "report.html";
}

}  // namespace warpclock
