#pragma once

#include <functional>
#include <optional>
#include <string>

#include "base/error.hpp"

namespace warpclock {

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
