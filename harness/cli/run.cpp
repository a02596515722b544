#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <iterator>
#include <map>
#include <memory>

#include "base/elapsed.hpp"
#include "base/terminal.hpp"
#include "cli/command.hpp"
#include "cli/options/device_choice.hpp"
#include "cli/provenance.hpp"
#include "cli/report_folder.hpp"
#include "cli/sharing.hpp"
#include "code/nvdisasm.hpp"
#include "gpu/counters/counters.hpp"
#include "gpu/worker/worker.hpp"
#include "measure/case_table.hpp"
#include "measure/inputs.hpp"
#include "measure/suite_run.hpp"
#include "plan/plan.hpp"
#include "record/outcome.hpp"
#include "record/shared.hpp"
#include "report/numbers/gigabytes.hpp"

namespace warpclock {
namespace {

namespace fs = std::filesystem;

struct RunOptions {
  Selection selection;
  CompileCasesOptions compile;
  std::string out, gpu;
  bool quiet = false;
  bool fresh = false;
  bool no_counters = false;
  bool exclusive = false;
  std::vector<std::string> benchmark_flags;
};

// The results of a whole run go into the GPU's folder, or into a folder below it if the suite is not a part of the full
// one. A run of only some cases must not replace them unless --out requests it.
std::string folder_of(const RunOptions& options, const DeviceFacts& device) {
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
      "{} measured, {} unsteady, {} rejected, {} skipped, {} failed; {:.1f} s until all were verified, {:.1f} s "
      "measuring beside and after it\n",
      counts[Outcome::Measured], counts[Outcome::Unsteady], counts[Outcome::Rejected], counts[Outcome::Skipped],
      counts[Outcome::Failed], record.provenance.compile_s, record.provenance.measure_s);
  return exit_status(record.cases);
}

Expected<void> publish(const std::string& folder, const Record& record) {
  WARPCLOCK_TRY(write_report(folder, record));
  fmt::print("wrote {0}/result.json.gz, {0}/report.md, {0}/report.html\n", folder);
  return refresh_gallery(folder);
}

Expected<int> run(const RunOptions& options) {
  const auto started = Time::now();
  WARPCLOCK_TRY(use_gpu(options.gpu));
  const std::string& suite = options.selection.suite;
  if (options.out.empty() && options.selection.patterns.empty() && (suite == every_suite || suite.contains(',')))
    return fail("usage", "several suites have no folder of their own: name one by --out DIR");
  const auto inputs = WARPCLOCK_TRY(load_inputs(options.selection));
  auto worker = Worker::start({.counters = !options.no_counters});
  if (!worker) {
    fmt::print(stderr, "Without a GPU, `warpclock verify` and `warpclock replay` do everything that needs none.\n");
    return std::unexpected(worker.error());
  }
  const DeviceFacts device = worker->device();
  const auto arch = WARPCLOCK_TRY(parse_arch(device.arch));
  auto cases = WARPCLOCK_TRY(planned(inputs, options.selection, {arch}));
  with_memory_limits(cases, device);
  const std::string folder = folder_of(options, device);
  if (!options.quiet)
    fmt::print("{} ({}, {} SMs), {}, counters {}\n", device.name, device.arch, device.sms,
               counted(std::ssize(cases), "case"), counters_in_words(worker->counters_missing()));
  if (warn_of_others(*worker) && options.exclusive) return refuse_to_share("the GPU is not this process's alone");

  const bool terminal = is_terminal(Stream::Err) && !options.quiet;
  SuiteRun suite_run(inputs, std::move(cases), *worker, [terminal](const std::string& what) {
    if (terminal) fmt::print(stderr, "\r\033[K{}", what);
  });
  if (!folder.empty()) {
    WARPCLOCK_TRY(may_fill(folder));
    const auto taken = WARPCLOCK_TRY(suite_run.keep_journal(fs::path(folder) / "run.journal", options.fresh));
    if (taken > 0) fmt::print("going on with a run that was stopped: {} cases are there already\n", taken);
  }
  CompileCasesOptions how = options.compile;
  how.ptx = true;
  WARPCLOCK_TRY(suite_run.time(how, options.benchmark_flags));
  WARPCLOCK_TRY(suite_run.refine());
  WARPCLOCK_TRY(suite_run.count());

  Record record = suite_run.finish();
  Provenance provenance =
      gather_provenance(find_nvdisasm(how.nvdisasm).value_or(""), device.driver, worker->counters_missing());
  provenance.others = worker->others();
  provenance.compile_s = record.provenance.compile_s;
  provenance.measure_s = record.provenance.measure_s;
  provenance.duration_s = seconds_since(started);
  record.provenance = std::move(provenance);
  const int status = summarize(record);
  if (folder.empty()) {
    fmt::print("no whole suite of its own: no report written; --out DIR writes one\n");
  } else {
    WARPCLOCK_TRY(publish(folder, record));
    suite_run.forget_journal();
  }
  const std::string shared = shared_in_words(record);
  if (shared.empty()) return status;
  fmt::print(stderr, "{} {}\n", Style(Stream::Err).yellow("warning:"), shared);
  if (options.exclusive) return refuse_to_share("there was other work on the GPU beside some cases");
  return status;
}

}  // namespace

void add_run(CLI::App& app, Action& action) {
  auto* command = app.add_subcommand("run", "Measure every case on a GPU and write its report (reports/<gpu>/)");
  auto options = std::make_shared<RunOptions>();
  options->selection.add_options(*command);
  command
      ->add_option("--out", options->out, "Folder for result.json.gz (zcat prints the JSON), report.md and report.html")
      ->type_name("DIR");
  command->add_flag("--fresh", options->fresh, "Do not take over the rows of a run that was stopped");
  command->add_flag("--no-counters", options->no_counters, "Leave hardware counters alone");
  command->add_flag("--exclusive", options->exclusive,
                    "Exit with status 2 where another process is on the GPU, or was busy there beside a case");
  command->add_option("--cache", options->compile.cache_dir, "Folder for compiled code")->type_name("DIR");
  command->add_option("--nvdisasm", options->compile.nvdisasm, "The disassembler to use")->type_name("PATH");
  add_device_option(*command, options->gpu);
  command->add_flag("-q,--quiet", options->quiet, "No progress and no head; only what is not measured, and the counts");
  command->footer(
      "Examples:\n"
      "  warpclock run --suite quick --out /tmp/quick\n"
      "  warpclock run --suite quick,smoke --out /tmp/both --gpu 1 --quiet\n"
      "  warpclock run --suite kernels --out /tmp/wgmma 'wgmma/*'\n"
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
