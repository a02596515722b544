#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "gpu/device/device.hpp"
#include "record/variation.hpp"

namespace warpclock {

/// One GPU of a fleet, from all of its records. Indices of GPUs are positions in Fleet::gpus.
struct FleetGpu {
  DeviceFacts device;       ///< of its newest record
  std::string host, date;   ///< of its newest record; the host may be unknown
  std::string folder;       ///< of its newest record, relative to the folder of the fleet
  std::string label;        ///< what people call it: host and number or PCI address, else UUID, else folder
  std::size_t model = 0;    ///< index in Fleet::models
  std::size_t records = 0;  ///< how many there are of it
  std::size_t measured = 0;
  std::vector<std::string> not_measured;  ///< ids of its rejected and failed rows
  std::size_t throttled = 0;              ///< rows during which the clock was throttled
  std::vector<std::string> throttle;      ///< the reasons
  double sm_mhz = 0;                      ///< median over its rows
  double power_w = 0, temperature_c = 0;  ///< the highest of the run
  std::size_t outliers = 0;
};

/// A record that could not be read, or a GPU that could not be measured.
struct FleetFailure {
  std::string path, text;
};

/// One number of one row as a distribution over the GPUs of a model.
struct FleetRow {
  std::string id, estimate, unit;
  EstimateKind kind = EstimateKind::Cycles;
  std::size_t gpus = 0;
  double median = 0, sigma = 0;  ///< sigma: see robust_spread()
  double low = 0, high = 0;      ///< smallest and largest value
  double repeatability = 0;      ///< a smaller distance from the median may be chance, see judge_fleet()
  double threshold = 0;          ///< a larger distance is an outlier; 0 if none is looked for
  double detects = 0;            ///< the deviation, as a share of the median, that is found in 99 of 100 cases
  std::size_t outliers = 0;
  bool varies = false;     ///< its probe says why it may differ between processes
  std::string not_judged;  ///< why no outlier is looked for: too few GPUs, or the row varies
};

struct FleetModel {
  std::string name;   ///< "NVIDIA H200"
  std::string board;  ///< part number, if all GPUs have the same
  std::vector<std::size_t> gpus;
  std::vector<FleetRow> rows;  ///< by id and estimate
  std::size_t tests = 0;       ///< GPU-rows that were compared
};

/// A number of a GPU that is too far from the median of its model.
struct FleetOutlier {
  std::size_t gpu = 0, row = 0;  ///< row: index in FleetModel::rows
  double value = 0;
  double share = 0;         ///< distance from the median as a share of it
  std::optional<double> z;  ///< the distance in sigmas; none if sigma is 0
};

/// A part of a GPU that differs from the other parts of it.
struct PartOutlier {
  std::size_t gpu = 0;
  std::string part;               ///< "SM", "GPC", "L2 line"
  std::size_t index = 0, of = 0;  ///< of how many
  std::string probe;              ///< "memory/sm_map"
  double value = 0, median = 0, z = 0;
};

/// A node whose GPUs together are away from the median.
struct NodeOutlier {
  std::string host;
  std::size_t model = 0, row = 0, gpus = 0;
  double value = 0;  ///< median of its GPUs
  double share = 0, z = 0;
};

struct Fleet {
  std::string folder;
  std::size_t records = 0;
  std::vector<FleetGpu> gpus;          ///< by model, host, PCI address and UUID
  std::vector<FleetModel> models;      ///< by name
  std::vector<FleetOutlier> outliers;  ///< the furthest first
  std::vector<PartOutlier> parts;
  std::size_t parts_tested = 0;
  std::vector<NodeOutlier> nodes;
  std::size_t nodes_tested = 0;
  std::vector<FleetFailure> failures;

  /// Whether every GPU was measured and nothing is away from the rest.
  [[nodiscard]] bool even() const;
};

}  // namespace warpclock
