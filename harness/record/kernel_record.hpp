#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "gpu/device/device.hpp"
#include "gpu/job/samples.hpp"
#include "plan/parameters.hpp"
#include "record/record.hpp"

namespace warpclock {

/// How much of a resource is used: of the predicted cycles, or by a counter.
struct ResourceShare {
  std::string name;     ///< "issue", "pipe fma", "unit lsu", "L2", "DRAM", "one warp alone"
  std::string counter;  ///< what was counted; empty for a prediction
  double share = 0;     ///< of the most that the resource can do

  bool operator==(const ResourceShare&) const = default;
};

/// What the model says of a kernel before it runs. Cycles of the whole launch.
struct KernelPrediction {
  std::string refused;  ///< why there is none; empty if there is one
  double low = 0, high = 0;
  std::optional<double> clock_part;  ///< of the SM clock, that is left while its tensor cores run; nothing: not known
  std::string limiter;
  std::vector<ResourceShare> bounds;  ///< highest first
  int blocks_per_sm = 0;
  double waves = 0;
  std::vector<std::string> unknown, assumed;

  bool operator==(const KernelPrediction&) const = default;
};

/// What a GPU says of it.
struct KernelMeasurement {
  std::string by;                                      ///< the counter that has the cycles, or "events"
  double cycles = 0, cycles_low = 0, cycles_high = 0;  ///< of the whole launch: median and its interval
  double us = 0, us_low = 0, us_high = 0;              ///< between events, less the median of an empty kernel
  double empty_us = 0;                                 ///< of an empty kernel
  std::string limiter;                                 ///< by counters; empty without them
  std::vector<ResourceShare> shares;                   ///< highest first

  bool operator==(const KernelMeasurement&) const = default;
};

/// A library's call that does the same work, on the same GPU right after the kernel.
struct LibraryMeasurement {
  std::string name, version;               ///< "cuBLAS", "13.1.0"
  double us = 0, us_low = 0, us_high = 0;  ///< as KernelMeasurement::us
  double share = 0;                        ///< its time over the kernel's: above 1, the kernel is faster
  std::vector<double> call_us;             ///< of each launch
  std::string missing;                     ///< why it was not timed; empty if it was

  bool operator==(const LibraryMeasurement&) const = default;
};

/// One point of a kernel's sweep.
struct KernelRow {
  std::string id, study, says;  ///< "transpose[variant=naive,size=4096]", "transpose"
  Parameters parameters;
  std::string source, kernel, hash;  ///< file, entry, and hash of the machine code
  std::vector<std::int64_t> grid, block;
  std::int64_t shared_bytes = 0;
  bool cold = false;
  bool held_out = false;  ///< not to be looked at while the model is made
  Outcome outcome = Outcome::Skipped;
  Reason reason;  ///< unless it was measured
  KernelPrediction prediction;
  std::optional<KernelMeasurement> measurement;
  std::optional<LibraryMeasurement> library;           ///< of a measured row whose study names a library's call
  std::vector<double> call_us, empty_us;               ///< of each launch
  std::vector<std::map<std::string, double>> counted;  ///< of each counted launch
  std::string counters_missing;
  ClockReading clock;

  bool operator==(const KernelRow&) const = default;
};

/// cases.json: kernels, each with its prediction and what was measured of it on one GPU.
struct KernelTable {
  Provenance provenance;
  DeviceFacts device;                      ///< of the measurements; without any, of the model
  std::string model;                       ///< the GPU with whose costs was predicted
  std::vector<std::string> model_records;  ///< "result.json b6a2bb9 2026-11-24"
  std::vector<KernelRow> rows;

  bool operator==(const KernelTable&) const = default;
};

/// Signed, in percent of what was measured: from the lower and from the upper end of the prediction.
struct SignedError {
  double low = 0, high = 0;

  /// The error of the middle of the prediction.
  [[nodiscard]] double middle() const { return (low + high) / 2; }
  [[nodiscard]] bool holds() const { return low <= 0 && high >= 0; }
};

/// Nothing unless it was predicted and measured.
[[nodiscard]] std::optional<SignedError> error_of(const KernelRow& row);

/// Whether the predicted limiter is the one that counters show: the same resource, or one that is used nearly as much.
/// Nothing without a prediction or counters.
[[nodiscard]] std::optional<bool> limiter_agrees(const KernelRow& row);

}  // namespace warpclock
