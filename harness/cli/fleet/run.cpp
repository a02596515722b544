#include "cli/fleet/run.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cstdlib>
#include <iterator>
#include <map>
#include <memory>
#include <set>
#include <string_view>
#include <thread>

#include "answer/numbers/figures.hpp"
#include "base/elapsed.hpp"
#include "base/files/file.hpp"
#include "base/lookup.hpp"
#include "base/process.hpp"
#include "base/terminal.hpp"
#include "base/text.hpp"
#include "cli/command.hpp"
#include "cli/measuring.hpp"
#include "cli/options/options.hpp"
#include "cli/report_folder.hpp"
#include "code/toolkit.hpp"
#include "compile/compiler/nvrtc.hpp"
#include "compile/ptxas.hpp"
#include "fleet/fleet_files.hpp"
#include "gpu/counters/counters.hpp"
#include "gpu/device/device.hpp"
#include "measure/case_table.hpp"
#include "measure/suite_run.hpp"
#include "plan/plan.hpp"
#include "record/assemble.hpp"
#include "record/record.hpp"

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
  if (options.worker.sms > 0) add_value("--sms", std::to_string(options.worker.sms));
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

namespace {

/// Measures on all visible GPUs, with a process of this program for each: at once, then in turn what must be measured
/// alone. Prints a line for each GPU. The result is the exit status: that of the GPUs if all have one, 1 if some could
/// not be measured, 2 if none could.
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

namespace fs = std::filesystem;

// The results of a whole run go into the GPU's folder, or into a folder below it if the suite is not a part of the full
// one. A run of only some cases must not replace them unless --out requests it.
std::string folder_of(const RunOptions& options, const DeviceFacts& device) {
  if (!options.out.empty() && options.own_folder)
    return (fs::path(options.out) / fleet_slug(device, host_name())).string();
  if (!options.out.empty()) return options.out;
  const std::string& suite = options.selection.suite;
  const bool whole = options.selection.patterns.empty() && options.selection.probes_dir.empty() &&
                     options.selection.configs_dir.empty();
  if (!whole || (suite != "full" && suite != "memory" && suite != "kernels")) return "";
  return "reports/" + device.slug + (suite == "full" ? "" : "/" + suite);
}

int summarize(const Record& record) {
  std::map<Outcome, std::size_t> counts;
  const Style style(Stream::Out);
  for (const Row& row : record.rows) {
    ++counts[row.outcome];
    if (row.outcome == Outcome::Measured || row.outcome == Outcome::Skipped) continue;
    const std::string outcome(word(row.outcome));
    fmt::print("{} {}: {}: {}\n", row.outcome == Outcome::Failed ? style.red(outcome) : style.yellow(outcome), row.id,
               row.reason.code, row.reason.text);
  }
  fmt::print(
      "{} measured, {} unsteady, {} rejected, {} skipped, {} failed; all were verified after {:.1f} s; measuring took "
      "{:.1f} s, in part at the same time\n",
      counts[Outcome::Measured], counts[Outcome::Unsteady], counts[Outcome::Rejected], counts[Outcome::Skipped],
      counts[Outcome::Failed], record.provenance.compile_s, record.provenance.measure_s);
  return exit_status(record.rows);
}

/// Why each probe must be measured while no other GPU of the machine works, by its name; see `alone` of a stanza.
std::set<std::string> alone_probes(const Inputs& inputs) {
  std::set<std::string> names;
  for (const Probe& probe : inputs.suite.probes)
    if (!probe.alone.empty()) names.insert(probe.family + "/" + probe.name);
  return names;
}

/// Where it is written that this GPU has no record, before its model is known.
fs::path failure_folder(const RunOptions& options) {
  return fs::path(options.out) / fmt::format("failed-{}-{}", host_name(), options.gpu.empty() ? "0" : options.gpu);
}

/// A record takes the place of an earlier failure.
void forget_failure(const RunOptions& options) {
  if (!options.own_folder) return;
  std::error_code ignored;
  fs::remove(failure_folder(options) / failure_file, ignored);
  fs::remove(failure_folder(options), ignored);
}

Expected<int> finish_run(const RunOptions& options, const std::string& folder, SuiteRun& suite_run, Worker& worker,
                         Time::time_point started) {
  Record record = suite_run.finish();
  Provenance provenance = gather_provenance(find_nvdisasm(options.compile.nvdisasm).value_or(""),
                                            worker.device().driver, worker.counters_missing());
  provenance.host = host_name();
  provenance.job = options.job;
  note_worker(provenance, worker);
  provenance.compile_s = record.provenance.compile_s;
  provenance.measure_s = record.provenance.measure_s;
  provenance.resumed = record.provenance.resumed;
  provenance.duration_s = seconds_since(started);
  record.provenance = std::move(provenance);
  int status = summarize(record);
  fmt::print("{}\n", clock_in_words(record.provenance));
  if (warn_of_timer(record.provenance)) status = 1;
  if (folder.empty()) {
    fmt::print("no whole suite of its own: no report written; --out DIR writes one\n");
  } else {
    WARPCLOCK_TRY(may_take_place(folder, record, options.measuring.replace));
    WARPCLOCK_TRY(publish(folder, record));
    suite_run.forget_journal();
    forget_failure(options);
  }
  const std::string shared = shared_in_words(record);
  if (shared.empty()) return status;
  fmt::print(stderr, "{} {}\n", Style(Stream::Err).yellow("warning:"), shared);
  if (options.measuring.exclusive) return refuse_to_share("other work ran on the GPU during some cases");
  return status;
}

/// What decides the rows besides the cases.
RunGround ground_of(const RunOptions& options, const Inputs& inputs, const Worker& worker) {
  RunGround ground{inputs.configs, inputs.sources, worker.device()};
  ground.host = host_name();
  ground.counters_missing = worker.counters_missing();
  ground.tools = {nvrtc_identity(), ptxas_identity(find_ptxas().value_or("")),
                  nvdisasm_identity(find_nvdisasm(options.compile.nvdisasm).value_or(""))};
  ground.settings = options.benchmark_flags;
  return ground;
}

Expected<void> keep_journal(const RunOptions& options, const Inputs& inputs, const Worker& worker, const fs::path& path,
                            SuiteRun& suite_run) {
  const JournalUse use{ground_of(options, inputs, worker), {date_now(), options.continues}, options.fresh};
  const auto taken = WARPCLOCK_TRY(suite_run.keep_journal(path, use));
  if (taken.rows > 0) fmt::print("going on with a run that was stopped: {} cases are there already\n", taken.rows);
  if (!taken.differs.empty())
    fmt::print("the rows of a run that was stopped are not taken over: it had other {}\n", taken.differs);
  return {};
}

Expected<int> measure_with(const RunOptions& options, const Inputs& inputs, Worker& worker, Time::time_point started) {
  const DeviceFacts device = worker.device();
  const auto arch = WARPCLOCK_TRY(parse_arch(device.arch));
  auto cases = WARPCLOCK_TRY(planned(inputs, options.selection, {arch}));
  with_memory_limits(cases, device);
  const std::set<std::string> alone = options.together ? alone_probes(inputs) : std::set<std::string>();
  const bool leaves = std::ranges::any_of(cases, [&](const Case& one) { return alone.contains(one.probe); });
  const std::string folder = folder_of(options, device);
  if (!options.measuring.quiet)
    fmt::print("{} ({}, {} SMs), {}, counters {}\n", device.name, device.arch, device.sms,
               counted(std::ssize(cases), "case"), counters_in_words(worker.counters_missing()));
  WARPCLOCK_TRY(warn_of_others(worker, options.measuring.exclusive));

  const bool terminal = is_terminal(Stream::Err) && !options.measuring.quiet;
  SuiteRun suite_run(inputs, std::move(cases), worker, [terminal](const std::string& what) {
    if (terminal) fmt::print(stderr, "\r\033[K{}", what);
  });
  std::optional<FolderLock> lock;
  if (!folder.empty()) {
    lock = WARPCLOCK_TRY(claim(folder));
    WARPCLOCK_TRY(keep_journal(options, inputs, worker, fs::path(folder) / "run.journal", suite_run));
  }
  suite_run.leave([&](const Case& one) { return alone.contains(one.probe); });
  CompileCasesOptions how = options.compile;
  how.ptx = true;
  how.quiet = how.quiet || options.measuring.quiet;
  WARPCLOCK_TRY(suite_run.time(how, options.benchmark_flags));
  WARPCLOCK_TRY(suite_run.refine());
  WARPCLOCK_TRY(suite_run.count());
  if (leaves) return rows_left;
  return finish_run(options, folder, suite_run, worker, started);
}

Expected<int> measure_on_gpu(const RunOptions& options, const Inputs& inputs, Time::time_point started) {
  WorkerOptions how = options.worker;
  how.counters = !options.measuring.no_counters;
  auto worker = Worker::start(how);
  if (!worker) {
    fmt::print(stderr, "Without a GPU, `warpclock verify` and `warpclock replay` do everything that needs none.\n");
    return std::unexpected(worker.error());
  }
  return measure_with(options, inputs, *worker, started);
}

}  // namespace

std::string fleet_slug(const DeviceFacts& device, const std::string& host) {
  constexpr std::size_t digits = 13;  // twelve and a dash: two of 10,000 GPUs have the same once in six million fleets
  if (device.uuid.empty()) return device.slug + "-" + device_slug(host + " " + device.pci);
  const std::size_t dash = device.uuid.find('-');
  return device.slug + "-" + device_slug(device.uuid.substr(dash == std::string::npos ? 0 : dash + 1, digits));
}

Expected<int> run_one(const RunOptions& options) {
  const auto started = Time::now();
  outlive_readers();
  WARPCLOCK_TRY(use_gpu(options.gpu));
  const std::string& suite = options.selection.suite;
  if (options.out.empty() && options.selection.patterns.empty() && (suite == every_suite || suite.contains(',')))
    return fail("usage", "several suites have no folder of their own: name one by --out DIR");
  const auto inputs = WARPCLOCK_TRY(load_inputs(options.selection));
  auto status = measure_on_gpu(options, inputs, started);
  if (!status && options.own_folder) {
    const auto written = write_failure(failure_folder(options), host_name(), options.gpu, status.error());
    if (!written) status.error().text += "; " + written.error().message();
  }
  return status;
}

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
  add_selection(*command, options->selection);
  add_value(*command, "--out", "DIR", options->out, "Folder for result.json.gz (zcat prints the JSON) and report.html");
  command->add_flag("--fresh", options->fresh, "Do not reuse the rows of an interrupted run");
  add_measuring_options(*command, options->measuring);
  add_build_options(*command, options->compile.cache_dir, options->compile.nvdisasm);
  add_device_option(*command, options->gpu)->type_name("N|UUID|all");
  add_value(*command, "--sms", "N", options->worker.sms,
            "Measure N of the GPU's SMs or a few more, in a green context of the driver")
      ->check(CLI::Range(1, 1024));
  // Between processes of this program, see run_all().
  command->add_flag("--own-folder", options->own_folder)->group("");
  command->add_flag("--together", options->together)->group("");
  command->add_flag("--continues", options->continues)->group("");
  command->footer(
      "Examples:\n"
      "  warpclock run --suite quick --out /tmp/quick\n"
      "  warpclock run --suite quick,smoke --out /tmp/both --gpu 1 --quiet\n"
      "  warpclock run --suite kernels --out /tmp/wgmma 'wgmma/*'\n"
      "  warpclock run --suite memory --sms 32 --out /tmp/32\n"
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
