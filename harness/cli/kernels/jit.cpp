
#include <CLI/CLI.hpp>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/elapsed.hpp"
#include "base/files/file.hpp"
#include "cli/command.hpp"
#include "cli/measuring.hpp"
#include "cli/options/options.hpp"
#include "code/toolkit.hpp"
#include "compile/ptxas.hpp"
#include "gpu/worker/worker.hpp"
#include "inspect/difference/code_difference.hpp"

namespace warpclock {
namespace {

namespace fs = std::filesystem;

constexpr const char* command_name = "jit";

struct JitCommand {
  std::string file, arch, gpu, nvdisasm;
  std::vector<std::string> include;
  SheetFormat format;
};

/// One for PTX; for CUDA C++ one for each architecture that is asked for.
Expected<std::vector<PtxModule>> modules_of(const JitCommand& command, LoadOptions how) {
  constexpr const char* usual_archs = "compute_80,compute_90";
  const bool source = is_source(command.file);
  if (!source && !command.arch.empty()) return fail("usage", "--arch is for CUDA C++: PTX names its own target");
  std::vector<Arch> archs(1);
  if (source) archs = WARPCLOCK_TRY(named_archs(command.arch.empty() ? usual_archs : command.arch));
  std::vector<PtxModule> modules;
  for (const Arch& arch : archs) {
    how.arch = arch;
    auto made = ptx_of(command.file, how);
    if (!made && made.error().code == "file")
      return std::unexpected(with_file_kind(made.error(), command.file, command_name));
    if (!made) return std::unexpected(made.error());
    modules.push_back(*std::move(made));
  }
  return modules;
}

/// What the driver makes of the PTX, added to `target`; a refusal of the PTX is no error.
Expected<void> add_driver_code(JitTarget& target, Worker& worker, const LoadedFile& by_ptxas, const Job& job,
                               const LoadOptions& how) {
  const auto seen = worker.run(job);
  if (!seen && (seen.error().code == "compile-error" || seen.error().code == ErrorCode::Cuda)) {
    target.refused = seen.error().message();
    return {};
  }
  if (!seen) return std::unexpected(seen.error());
  for (const double us : seen->jit_us) target.jit_ms.push_back(us / 1e3);
  for (const double us : seen->load_us) target.load_ms.push_back(us / 1e3);
  const auto by_driver = WARPCLOCK_TRY(load_file(job.cubin_path, how));
  target.driver_arch = to_string(by_driver.arch);
  target.code = WARPCLOCK_TRY(compare_code({"by ptxas", by_ptxas}, {"by the driver", by_driver}, {}));
  return {};
}

Expected<JitTarget> assembled(const JitCommand& command, const PtxModule& ptx, const std::string& folder,
                              Worker& worker, LoadOptions how) {
  constexpr int timed_starts = 5;
  const bool source = is_source(command.file);
  const std::string name = (fs::path(folder) / to_string(ptx.target)).string();
  const std::string path = source ? name + ".ptx" : command.file;
  if (source) WARPCLOCK_TRY(write_file_atomically(path, ptx.text, Synced::No));
  // The driver assembles for all that the GPU has, whatever the PTX targets.
  how.arch = WARPCLOCK_TRY(parse_arch(worker.device().arch));
  JitTarget target{.target = to_string(ptx.target)};
  CubinFile cubins;
  for (int i = 0; i < timed_starts; ++i) {
    const auto started = Time::now();
    cubins = WARPCLOCK_TRY(open_file(path, how));
    target.ptxas_ms.push_back(seconds_since(started) * 1e3);
  }
  const auto by_ptxas = WARPCLOCK_TRY(load_cubins(std::move(cubins), how));
  target.ptxas_arch = to_string(by_ptxas.arch);
  Job job;
  job.id = target.target;
  job.ptx_path = path;
  job.cubin_path = name + ".cubin";
  WARPCLOCK_TRY(add_driver_code(target, worker, by_ptxas, job, how));
  return target;
}

Expected<int> compare_compilers(const JitCommand& command) {
  LoadOptions how;
  how.include = command.include;
  const auto modules = WARPCLOCK_TRY(modules_of(command, how));
  how.nvdisasm = WARPCLOCK_TRY(find_nvdisasm(command.nvdisasm));
  JitComparison all{.file = command.file};
  const auto ptxas = WARPCLOCK_TRY(find_ptxas());
  all.ptxas = WARPCLOCK_TRY(ptxas_version(ptxas));
  WARPCLOCK_TRY(use_gpu(command.gpu));
  // The worker inherits both. Otherwise only the first load assembles, and kernels are loaded when they are launched.
  setenv("CUDA_CACHE_DISABLE", "1", 1);
  setenv("CUDA_MODULE_LOADING", "EAGER", 1);
  auto worker = WARPCLOCK_TRY(Worker::start({.counters = false}));
  (void)warn_of_others(worker, false);
  all.gpu = worker.device().name;
  all.driver = worker.device().driver;
  const auto folder = WARPCLOCK_TRY(TemporaryFolder::make());
  for (const PtxModule& ptx : modules)
    all.targets.push_back(WARPCLOCK_TRY(assembled(command, ptx, folder.path(), worker, how)));
  print(jit_sheet(all), command.format);
  return all_same(all) ? 0 : 1;
}

}  // namespace

void add_jit(CLI::App& app, Action& action) {
  auto* command = app.add_subcommand(
      command_name,
      "Assemble PTX by ptxas and by the driver: whether the machine code is the same, and how long each takes");
  auto options = std::make_shared<JitCommand>();
  add_value(*command, "file", "FILE", options->file,
            "PTX, or CUDA C++ (.cu), which is compiled to PTX for each of --arch")
      ->required();
  add_arch_option(*command, options->arch, "What CUDA C++ is compiled to PTX for (default compute_80,compute_90)")
      ->type_name("ARCH,...");
  add_device_option(*command, options->gpu);
  add_include_option(*command, options->include);
  add_nvdisasm_option(*command, options->nvdisasm);
  options->format.add_options(*command);
  command->footer(
      "Needs a GPU and CUPTI, which shows the machine code that the driver loads. The driver's disk cache is not "
      "used.\n"
      "None of the kernels is launched. A module that takes the driver long needs WARPCLOCK_WATCHDOG_S (seconds, "
      "default 10).\n"
      "Exit status: 0 the same machine code; 1 a kernel differs, or the driver refused the PTX; 2 nothing was "
      "compared.\n"
      "Examples:\n"
      "  warpclock jit kernels.ptx\n"
      "  warpclock jit kernels.cu --arch compute_80,compute_90a\n"
      "  warpclock jit kernels.cu --json | jq '.kernels[] | [.target, .kernel, .difference]'");
  command->callback([options, &action] { action = [options] { return compare_compilers(*options); }; });
}

}  // namespace warpclock
