#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <thread>

#include "base/caught.hpp"
#include "base/lookup.hpp"
#include "base/output.hpp"
#include "base/process.hpp"
#include "base/terminal.hpp"
#include "base/text.hpp"
#include "cli/fleet/run_options.hpp"
#include "cli/options/options.hpp"
#include "fleet/fleet_files.hpp"
#include "gpu/device/nvml.hpp"

namespace warpclock {
namespace {

/// The command of the process that measures on one GPU.
std::vector<std::string> command_for(const RunOptions& options, const std::string& gpu, bool together) {
  const Selection& cases = options.selection;
  std::vector<std::string> command = {"/proc/self/exe", "run",          "--gpu",   gpu,       "--out",
                                      options.out,      "--own-folder", "--quiet", "--suite", cases.suite};
  const auto add_if = [&](bool wanted, const char* flag) {
    if (wanted) command.emplace_back(flag);
  };
  const auto add_value = [&](const char* option, const std::string& value) {
    if (!value.empty()) command.insert(command.end(), {option, value});
  };
  add_if(together, "--together");
  // What the run together left in the journal is not to be measured again.
  add_if(options.fresh && together, "--fresh");
  add_if(!together, "--continues");
  add_if(options.measuring.no_counters, "--no-counters");
  add_if(options.measuring.exclusive, "--exclusive");
  add_if(options.measuring.replace, "--replace");
  add_value("--probes", cases.probes_dir);
  add_value("--configs", cases.configs_dir);
  add_value("--cache", options.compile.cache_dir);
  add_value("--nvdisasm", options.compile.nvdisasm);
  command.insert(command.end(), options.benchmark_flags.begin(), options.benchmark_flags.end());
  command.insert(command.end(), cases.patterns.begin(), cases.patterns.end());
  return command;
}

/// What came of one GPU.
struct GpuRun {
  std::string gpu;
  int status = 0;
  std::string said;  ///< the last line that its process wrote, or its error
};

std::string last_line(const std::string& text) {
  const std::vector<std::string> all = lines(trim(text));
  return all.empty() ? "" : all.back();
}

void measure(const RunOptions& options, bool together, GpuRun& run) {
  const auto ran = caught("GPU " + run.gpu, [&] { return run_process(command_for(options, run.gpu, together)); });
  if (!ran) {
    run.status = 2;
    run.said = ran.error().message();
    return;
  }
  run.status = ran->exit_code;
  // Rows that are not measured are said before the counts and the files.
  if (run.status < 2 && !options.measuring.quiet) fmt::print("{}", ran->out);
  run.said = run.status >= 2 && run.status != rows_left ? last_line(ran->err) : last_line(ran->out);
  if (ran->signal != 0) run.said = fmt::format("its process was ended by signal {}; {}", ran->signal, run.said);
}

std::string verdict_of(const GpuRun& run) {
  const Style style(Stream::Out);
  if (run.status == 0) return style.green("measured");
  return run.status == 1 ? style.yellow("measured, with rows rejected or failed") : style.red("failed");
}

}  // namespace

Expected<std::vector<std::string>> all_gpus(const char* visible) {
  if (visible == nullptr) {
    auto gpus = list_gpus();
    if (!gpus) return fail(gpus.error().code, "--gpu all: " + gpus.error().text);
    if (gpus->empty()) return fail(ErrorCode::NoDevice, "--gpu all: NVML lists no GPU");
    return gpus;
  }
  std::vector<std::string> words = split(visible, ',');
  // CUDA takes what comes before the first word that is no device.
  const auto end = std::ranges::find_if_not(words, is_device);
  words.erase(end, words.end());
  if (words.empty())
    return fail(ErrorCode::NoDevice, fmt::format("--gpu all: CUDA_VISIBLE_DEVICES={} leaves no GPU visible", visible));
  for (std::size_t i = 0; i < words.size(); ++i)
    if (is_digit(words[i].front())) words[i] = std::to_string(i);
  return words;
}

Expected<int> run_all(const RunOptions& options) {
  if (options.out.empty())
    return fail("usage", "--gpu all: each GPU gets a folder of its own: name the folder for all by --out DIR");
  for (const std::string& flag : options.benchmark_flags)
    if (flag.starts_with("--benchmark_out="))
      return fail("usage", "--benchmark_out: several GPUs would write the same file; measure one with --gpu N");
  outlive_readers();
  // A wrong config is said once.
  WARPCLOCK_TRY(load_inputs(options.selection));
  const auto gpus = WARPCLOCK_TRY(all_gpus(std::getenv("CUDA_VISIBLE_DEVICES")));
  auto runs = mapped(gpus, [&](const std::string& gpu) { return GpuRun{gpu, 0, ""}; });
  {
    std::vector<std::jthread> threads;
    for (GpuRun& run : runs) threads.emplace_back([&] { measure(options, true, run); });
  }
  for (GpuRun& run : runs)
    if (run.status == rows_left) measure(options, false, run);
  for (const GpuRun& run : runs) fmt::print("GPU {}: {}; {}\n", run.gpu, verdict_of(run), run.said);
  const auto failed = std::ranges::count_if(runs, [](const GpuRun& run) { return run.status >= 2; });
  if (failed == std::ssize(runs)) return fail(ErrorCode::NoDevice, "no GPU could be measured");
  return std::ranges::all_of(runs, [](const GpuRun& run) { return run.status == 0; }) ? 0 : 1;
}

}  // namespace warpclock
