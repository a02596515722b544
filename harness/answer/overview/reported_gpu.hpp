#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "answer/numbers/quantity.hpp"
#include "record/record.hpp"

namespace warpclock {

/// The measurements by file, then by folder relative to that of all reports: "nvidia-h200", "nvidia-h200/memory".
using Reports = std::map<RecordFile, std::map<std::string, Record>>;

/// All that was measured of one GPU. Points into the records.
struct ReportedGpu {
  std::string folder;                            ///< "nvidia-h200", below the folder of all reports
  std::map<std::string, const Record*> results;  ///< by suite folder; "" is the GPU's own folder
  const Record* table = nullptr;
  const Record* machine = nullptr;
  std::map<std::string, const Record*> kernels;  ///< by folder, as the results

  [[nodiscard]] const DeviceFacts& device() const;
  /// "NVIDIA H200", or the folder's name.
  [[nodiscard]] std::string name() const;
  /// "memory/report.html", relative to the GPU's folder.
  [[nodiscard]] static std::string page_of(const std::string& folder, const char* file = "report.html");
};

/// The value of a quantity at its best place in all results of the GPU, and the folder of that result.
struct GpuQuantity {
  QuantityValue value;
  std::string suite;
};
[[nodiscard]] std::optional<GpuQuantity> find_quantity(const ReportedGpu& gpu, const Quantity& quantity);

/// The GPUs of these reports. A table of instructions in the folder of a suite is none of the GPU's own.
[[nodiscard]] std::vector<ReportedGpu> reported_gpus(const Reports& reports);

}  // namespace warpclock
