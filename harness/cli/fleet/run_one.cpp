#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <set>

#include "answer/numbers/clock_words.hpp"
#include "answer/numbers/figures.hpp"
#include "base/elapsed.hpp"
#include "base/files/folder_lock.hpp"
#include "base/output.hpp"
#include "base/terminal.hpp"
#include "cli/fleet/launcher.hpp"
#include "cli/fleet/run_options.hpp"
#include "cli/measuring.hpp"
#include "cli/options/options.hpp"
#include "cli/report_folder.hpp"
#include "code/nvdisasm.hpp"
#include "compile/compiler/nvrtc.hpp"
#include "compile/ptxas.hpp"
#include "fleet/fleet_files.hpp"
#include "gpu/counters/counters.hpp"
#include "gpu/worker/worker.hpp"
#include "measure/case_table.hpp"
#include "measure/inputs.hpp"
#include "measure/suite_run.hpp"
#include "plan/plan.hpp"
#include "record/outcome.hpp"
#include "record/shared.hpp"

namespace warpclock {
namespace {

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
  for (const CaseRecord& row : record.cases) {
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
  return exit_status(record.cases);
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

Expected<int> finish_run(const RunOptions& options, const std::string& folder, SuiteRun& suite_run,
                         const Worker& worker, Time::time_point started) {
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

}  // namespace warpclock
