#include "cli/fleet/launcher.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <string_view>
#include <vector>

#include "base/text.hpp"

namespace warpclock {
namespace {

/// The variables of a launcher. Those of a job may be missing; a task is known by its number.
struct Launcher {
  const char *name, *job, *task, *local;
};

constexpr std::array<Launcher, 4> launchers = {{
    {"Slurm", "SLURM_JOB_ID", "SLURM_PROCID", "SLURM_LOCALID"},
    {"Open MPI", "PMIX_NAMESPACE", "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_LOCAL_RANK"},
    {"MPI", "PMI_JOBID", "PMI_RANK", "MPI_LOCALRANKID"},
    {"MPI", "PMI_JOBID", "PMIX_RANK", "PMIX_LOCAL_RANK"},
}};

std::optional<int> number_of(const char* text) {
  const auto number = text == nullptr ? std::nullopt : whole_number<int>(text);
  return number >= 0 ? number : std::nullopt;
}

}  // namespace

std::optional<LaunchedTask> launched_task(const Variables& variable) {
  for (const Launcher& one : launchers) {
    const char* task = variable(one.task);
    if (task == nullptr) continue;
    const char* job = variable(one.job);
    LaunchedTask found{
        fmt::format("{}{}{}, task {}", one.name, job == nullptr ? "" : " job ", job == nullptr ? "" : job, task),
        number_of(variable(one.local))};
    // A batch script has the variables of its first task, but no task of srun.
    const bool script = std::string_view(one.name) == "Slurm" && variable("SLURM_STEP_ID") == nullptr;
    if (script) found.local.reset();
    return found;
  }
  return std::nullopt;
}

Expected<std::string> gpu_of_task(const LaunchedTask& task, const char* visible) {
  if (!task.local) return "";
  if (visible == nullptr) return std::to_string(*task.local);
  const std::vector<std::string> gpus = split(visible, ',');
  if (gpus.size() == 1) return "";
  if (static_cast<std::size_t>(*task.local) < gpus.size()) return std::to_string(*task.local);
  return fail("usage", fmt::format("{}: it is number {} on its node, and CUDA_VISIBLE_DEVICES={} has {} GPUs: start as "
                                   "many tasks on a node as it has GPUs",
                                   task.job, *task.local, visible, gpus.size()));
}

std::string host_name() {
  std::array<char, 256> name{};
  return gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "";
}

}  // namespace warpclock
