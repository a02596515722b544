#pragma once

#include <functional>
#include <optional>
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

/// The GPUs that --gpu all means, as --gpu takes each: those of CUDA_VISIBLE_DEVICES, or all that NVML lists.
[[nodiscard]] Expected<std::vector<std::string>> all_gpus(const char* visible);

/// The folder of a GPU in that of a fleet: "nvidia-h200-d483ba7f-aaa5", of its model and the first 12 digits of its
/// UUID. Without a UUID, of its model, host and PCI address.
[[nodiscard]] std::string fleet_slug(const DeviceFacts& device, const std::string& host);

/// Takes a task's GPU and folder from its launcher, if a launcher started this process and --gpu names no GPU. Errors
/// of gpu_of_task(), "usage" without --out.
[[nodiscard]] Expected<void> take_from_launcher(RunOptions& options);

/// What a launcher says to one of the processes that it starts.
struct LaunchedTask {
  std::string job;           ///< "Slurm job 4711, task 3", "Open MPI job 12, task 3"
  std::optional<int> local;  ///< the number of this task among those of its node; none in a batch script
};

/// Looks up an environment variable; null if it is not set.
using Variables = std::function<const char*(const char*)>;

/// The task that this process is, from the variables of Slurm (SLURM_JOB_ID, SLURM_PROCID, SLURM_LOCALID and
/// SLURM_STEP_ID), Open MPI (OMPI_COMM_WORLD_*), Intel MPI and MPICH (PMI_RANK, MPI_LOCALRANKID). Nothing if no
/// launcher started it. Under srun, Open MPI's and PMI's variables are not needed.
[[nodiscard]] std::optional<LaunchedTask> launched_task(const Variables& variable);

/// The GPU of a task, as --gpu takes it; empty for the first visible one. `visible` is CUDA_VISIBLE_DEVICES as the
/// launcher left it, null if it is not set. If one GPU is visible, it is this task's. If several are, or if the
/// variable is not set, the task takes the one with its local number. Error "usage" if there are more tasks than GPUs.
[[nodiscard]] Expected<std::string> gpu_of_task(const LaunchedTask& task, const char* visible);

/// The name of this machine.
[[nodiscard]] std::string host_name();

}  // namespace warpclock
