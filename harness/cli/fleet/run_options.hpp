#pragma once

#include <string>
#include <vector>

#include "base/error.hpp"
#include "cli/options/options.hpp"
#include "gpu/worker/worker.hpp"
#include "measure/compile_cases.hpp"
#include "measure/inputs.hpp"

namespace warpclock {

struct RunOptions {
  Selection selection;
  CompileCasesOptions compile;
  std::string out, gpu;
  MeasuringOptions measuring;
  bool fresh = false;
  std::vector<std::string> benchmark_flags;

  bool own_folder = false;  ///< --out is the folder of a fleet, and the record goes into this GPU's folder in it
  bool together = false;    ///< other GPUs are measured at once, so rows that cannot bear it are left
  bool continues = false;   ///< the rows of a run `together` in the journal are this run's own
  std::string job;          ///< of a launcher, for the record
  WorkerOptions worker;
};

/// Exit status of a run with `together` that left rows: the same run without it continues.
constexpr int rows_left = 3;

/// Measures on one GPU and writes its record. The result is the exit status.
[[nodiscard]] Expected<int> run_one(const RunOptions& options);

/// Measures on all visible GPUs, with a process of this program for each: at once, then in turn what must be measured
/// alone. Prints a line for each GPU. The result is the exit status: that of the GPUs if all have one, 1 if some could
/// not be measured, 2 if none could.
[[nodiscard]] Expected<int> run_all(const RunOptions& options);

/// The GPUs that --gpu all means, as --gpu takes each: those of CUDA_VISIBLE_DEVICES, or all that NVML lists.
[[nodiscard]] Expected<std::vector<std::string>> all_gpus(const char* visible);

/// The folder of a GPU in that of a fleet: "nvidia-h200-d483ba7f-aaa5", of its model and the first 12 digits of its
/// UUID. Without a UUID, of its model, host and PCI address.
[[nodiscard]] std::string fleet_slug(const DeviceFacts& device, const std::string& host);

/// Takes a task's GPU and folder from its launcher, if a launcher started this process and --gpu names no GPU. Errors
/// of gpu_of_task(), "usage" without --out.
[[nodiscard]] Expected<void> take_from_launcher(RunOptions& options);

}  // namespace warpclock
