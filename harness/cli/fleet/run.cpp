#include <CLI/CLI.hpp>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "cli/command.hpp"
#include "cli/fleet/launcher.hpp"
#include "cli/fleet/run_options.hpp"
#include "cli/options/options.hpp"

namespace warpclock {
namespace {

constexpr const char* every_gpu = "all";

Expected<int> run(RunOptions options) {
  if (options.gpu == every_gpu) return run_all(options);
  WARPCLOCK_TRY(take_from_launcher(options));
  return run_one(options);
}

}  // namespace

Expected<void> take_from_launcher(RunOptions& options) {
  const auto task = launched_task([](const char* name) -> const char* { return std::getenv(name); });
  if (!task) return {};
  options.job = task->job;
  if (options.own_folder) return {};
  if (options.gpu.empty()) options.gpu = WARPCLOCK_TRY(gpu_of_task(*task, std::getenv("CUDA_VISIBLE_DEVICES")));
  const bool whole = options.selection.patterns.empty();
  if (options.out.empty() && whole)
    return fail("usage", task->job + ": each task writes a record of its own: name the folder for all by --out DIR");
  options.own_folder = !options.out.empty();
  return {};
}

void add_run(CLI::App& app, Action& action) {
  auto* command = app.add_subcommand("run", "Measure every case on a GPU and write its report (reports/<gpu>/)");
  auto options = std::make_shared<RunOptions>();
  options->selection.add_options(*command);
  add_value(*command, "--out", "DIR", options->out, "Folder for result.json.gz (zcat prints the JSON) and report.html");
  command->add_flag("--fresh", options->fresh, "Do not reuse the rows of an interrupted run");
  add_measuring_options(*command, options->measuring);
  add_build_options(*command, options->compile.cache_dir, options->compile.nvdisasm);
  add_device_option(*command, options->gpu)->type_name("N|UUID|all");
  // Between processes of this program, see run_all().
  command->add_flag("--own-folder", options->own_folder)->group("");
  command->add_flag("--together", options->together)->group("");
  command->add_flag("--continues", options->continues)->group("");
  command->footer(
      "Examples:\n"
      "  warpclock run --suite quick --out /tmp/quick\n"
      "  warpclock run --suite quick,smoke --out /tmp/both --gpu 1 --quiet\n"
      "  warpclock run --suite kernels --out /tmp/wgmma 'wgmma/*'\n"
      "  warpclock run --suite quick --gpu all --out /shared/fleet\n"
      "  srun --gpus-per-task=1 warpclock run --suite quick --out /shared/fleet\n"
      "  mpirun -N 8 warpclock run --suite quick --out /shared/fleet\n"
      "With --gpu all, and in a task of Slurm or MPI, DIR gets a folder for each GPU, named by model and UUID; a task\n"
      "takes the GPU with its number on the node. All GPUs are measured at once, then in turn the probes that disturb\n"
      "others or are disturbed: full power (*sustained), the host (launch_gap*), another GPU's memory (peer/*).\n"
      "`warpclock fleet DIR` compares the records; docs/fleet.md has more.\n"
      "The whole of full, memory or kernels goes into reports/<gpu>/; anything else is written only with --out.\n"
      "Flags --benchmark_* go to Google Benchmark: --benchmark_filter, --benchmark_repetitions,\n"
      "--benchmark_out=FILE (for compare.py), --benchmark_format=json.");
  command->allow_extras();
  command->callback([options, command, &action] {
    for (const std::string& extra : command->remaining()) {
      if (!extra.starts_with("--benchmark_")) throw CLI::ExtrasError("run", std::vector<std::string>{extra});
      options->benchmark_flags.push_back(extra);
    }
    action = [options] { return run(*options); };
  });
}

}  // namespace warpclock
