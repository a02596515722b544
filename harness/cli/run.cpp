#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdlib>
#include <map>
#include <memory>
#include <optional>
#include <span>

#include "base/elapsed.hpp"
#include "base/hash.hpp"
#include "base/paths.hpp"
#include "base/terminal.hpp"
#include "base/text.hpp"
#include "base/version.hpp"
#include "cli/command.hpp"
#include "cli/provenance.hpp"
#include "cli/report_folder.hpp"
#include "cli/sharing.hpp"
#include "code/nvdisasm.hpp"
#include "gpu/worker/worker.hpp"
#include "measure/case_compiler.hpp"
#include "measure/case_table.hpp"
#include "measure/inputs.hpp"
#include "measure/journal.hpp"
#include "measure/refine.hpp"
#include "plan/plan.hpp"
#include "record/features.hpp"
#include "record/outcome.hpp"
#include "record/shared.hpp"
#include "report/numbers/gigabytes.hpp"

namespace warpclock {
namespace {

namespace fs = std::filesystem;

struct RunOptions {
  Selection selection;
  CompileCasesOptions compile;
  std::string out;
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

// Rows of a killed run are reused only if everything that determines them is the same.
std::string journal_key(const Inputs& inputs, const std::vector<Case>& cases, const DeviceFacts& device) {
  std::string all = version_line() + device.name + device.driver + device.arch;
  for (const auto& [path, text] : inputs.sources) all += path + text;
  for (const Case& one : cases) {
    all += one.id;
    for (const Measure& measure : one.measures) all += measure.name + measure.unit;
  }
  return R"({"run":")" + hash_hex(all) + R"("})";
}

void describe_probes(const Suite& suite, Record& record) {
  for (const Probe& probe : suite.probes) {
    const std::string name = probe.family + "/" + probe.name;
    const auto used = [&](const CaseRecord& row) { return row.probe == name; };
    if (std::ranges::any_of(record.cases, used))
      record.probes.push_back({name, probe.family, probe.asks, probe.chart, probe.along, probe.finds, probe.varies});
  }
}

void describe_metrics(const Suite& suite, Record& record) {
  for (const Metric& metric : suite.metrics) {
    const auto used = [&](const CaseRecord& row) { return row.counters.contains(metric.name); };
    if (std::ranges::any_of(record.cases, used)) record.metrics.push_back({metric.name, metric.unit, metric.text});
  }
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
  fmt::print("wrote {0}/result.json, {0}/report.md, {0}/report.html\n", folder);
  return refresh_gallery(folder);
}

// If the session fails, the jobs are run one by one, because the error belongs to only one case.
std::vector<Expected<Observation>> count_together(Worker& worker, const std::vector<Job>& jobs) {
  std::vector<Expected<Observation>> seen;
  if (jobs.size() > 1) {
    Job all = jobs.front();
    all.beside.assign(jobs.begin() + 1, jobs.end());
    std::size_t launches = 0;
    for (const Job& job : jobs) launches += job.kernels.size();
    if (auto counted = worker.run(all); counted && counted->counted.size() == launches) {
      auto next = counted->counted.begin();
      for (const Job& job : jobs) {
        Observation& own = seen.emplace_back(Observation{}).value();
        const auto end = next + static_cast<std::ptrdiff_t>(job.kernels.size());
        own.counted.assign(next, end);
        next = end;
      }
      return seen;
    }
  }
  for (const Job& job : jobs) seen.push_back(worker.run(job));
  return seen;
}

// Whether refilling the data for each pass of the profiler costs less than a separate session for the case.
bool made_quickly(const Data& data) {
  constexpr std::int64_t quick_bytes = 4 << 20;
  const bool repeats = data.fill == Fill::Zeros || data.fill == Fill::Bits || data.fill == Fill::Unit;
  return repeats || data.bytes <= quick_bytes;
}

// Runs after everything is timed, so that the profiler is enabled only once and never during a timing.
Expected<void> read_counters(const CaseTable& table, Worker& worker, Record& record, std::optional<Journal>& journal) {
  const bool show_progress = is_terminal(Stream::Err);
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < record.cases.size(); ++i)
    if (table.wants_counters(i, record.cases[i])) order.push_back(i);
  // Cases with the same counters are adjacent, because enabling another set takes a tenth of a second.
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return table.cases[i].counters; });
  constexpr std::size_t most_together = 24;
  for (std::size_t first = 0; first < order.size();) {
    std::size_t end = first + 1;
    const Case& like = table.cases[order[first]];
    while (end < order.size() && end - first < most_together && made_quickly(like.data) &&
           made_quickly(table.cases[order[end]].data) && table.cases[order[end]].counters == like.counters) {
      ++end;
    }
    const std::span<const std::size_t> together(order.data() + first, end - first);
    first = end;
    if (show_progress) fmt::print(stderr, "\r\033[Kcounters of {}", record.cases[together.front()].id);
    std::vector<Job> jobs;
    for (const std::size_t i : together) {
      auto job = WARPCLOCK_TRY(table.counting_job(i));
      jobs.push_back(std::move(job));
    }
    std::vector<Expected<Observation>> counted(together.size(), Observation{});
    if (worker.counters() == "available") {
      counted = count_together(worker, jobs);
    } else {
      for (auto& one : counted) one->counters_missing = worker.counters();
    }
    for (std::size_t k = 0; k < together.size(); ++k) {
      CaseRecord& row = record.cases[together[k]];
      row = table.with_counters(together[k], std::move(row), counted[k]);
      if (!journal) continue;
      WARPCLOCK_TRY(journal->append(row));
    }
  }
  if (show_progress) fmt::print(stderr, "\r\033[K");
  return {};
}

// The row of a case from an interrupted run, or null. Failed cases are tried again.
const CaseRecord* taken_over_row(const std::optional<Journal>& journal, const std::string& id) {
  if (!journal) return nullptr;
  const auto row = journal->rows().find(id);
  return row == journal->rows().end() || row->second.outcome == Outcome::Failed ? nullptr : &row->second;
}

// Times a case that was not planned, or reuses its row from an interrupted run.
MeasureCase timed_later(const CaseTable& table, Worker& worker, std::optional<Journal>& journal) {
  const bool show_progress = is_terminal(Stream::Err);
  return [&table, &worker, &journal, show_progress](std::size_t i) -> Expected<CaseRecord> {
    const std::string& id = table.cases[i].id;
    if (const CaseRecord* row = taken_over_row(journal, id)) return *row;
    if (show_progress) fmt::print(stderr, "\r\033[K{}", id);
    const Expected<Observation> seen = worker.run(table.timed_job(i));
    if (show_progress) fmt::print(stderr, "\r\033[K");
    if (!seen && seen.error().code == "device-lost") return std::unexpected(seen.error());
    CaseRecord row = table.row(i, &seen);
    if (journal) WARPCLOCK_TRY(journal->append(row));
    return row;
  };
}

Expected<int> run(const RunOptions& options) {
  const auto started = Time::now();
  if (options.no_counters) ::setenv("WARPCLOCK_NO_COUNTERS", "1", 1);
  if (options.selection.suite == every_suite) {
    return fail("filter", "run measures one suite at a time: name it with --suite");
  }
  auto inputs = WARPCLOCK_TRY(load_inputs(options.selection));
  auto worker = Worker::start();
  if (!worker) {
    fmt::print(stderr, "Without a GPU, `warpclock verify` and `warpclock replay` do everything that needs none.\n");
    return std::unexpected(worker.error());
  }
  const DeviceFacts device = worker->device();
  auto arch = WARPCLOCK_TRY(parse_arch(device.arch));
  auto cases = WARPCLOCK_TRY(plan(inputs.suite, arch, Filter{options.selection.suite, options.selection.patterns}));
  with_memory_limits(cases, device);
  const std::string folder = folder_of(options, device);
  fmt::print("{} ({}, {} SMs), {} cases, counters {}\n", device.name, device.arch, device.sms, cases.size(),
             worker->counters());
  if (warn_of_others(*worker) && options.exclusive) return refuse_to_share("the GPU is not this process's alone");

  CaseTable table{std::move(cases), {}, inputs.suite.metrics, device.chip};
  std::optional<Journal> journal;
  if (!folder.empty()) {
    WARPCLOCK_TRY(may_fill(folder));
    const fs::path path = fs::path(folder) / "run.journal";
    if (options.fresh) fs::remove(path);
    auto opened = WARPCLOCK_TRY(Journal::open(path, journal_key(inputs, table.cases, device)));
    journal.emplace(std::move(opened));
  }

  Record record;
  record.device = device;
  record.cases.resize(table.cases.size());
  std::vector<Job> jobs;  // their kernels are known after the examination
  std::vector<std::size_t> case_of_job;
  std::size_t taken_over = 0;
  for (std::size_t i = 0; i < table.cases.size(); ++i) {
    if (taken_over_row(journal, table.cases[i].id) != nullptr) {
      ++taken_over;
    } else if (!table.cases[i].skip) {
      jobs.emplace_back().id = table.cases[i].id;
      case_of_job.push_back(i);
    }
  }
  if (taken_over) fmt::print("going on with a run that was stopped: {} cases are there already\n", taken_over);

  CompileCasesOptions how = options.compile;
  how.ptx = true;
  CaseCompiler compiler(table.cases, inputs.sources, how, table.compiled);
  if (!table.cases.empty()) WARPCLOCK_TRY(compiler.wait(0));
  const auto measuring = Time::now();
  std::optional<Error> journal_error;
  BenchOptions bench;
  bench.flags = options.benchmark_flags;
  bench.context = {{"warpclock_commit", version().commit}, {"gpu", device.name}, {"driver", device.driver}};
  bench.figures = [&](std::size_t job, const Observation& observation) {
    const Expected<Observation> seen = observation;
    return figures(table.row(case_of_job[job], &seen));
  };
  bench.on_result = [&](std::size_t job, const Expected<Observation>& observation) {
    const std::size_t i = case_of_job[job];
    CaseRecord& row = record.cases[i];
    row = table.row(i, &observation);
    // A case that lost the device is repeated in the next run.
    const bool lost = !observation && observation.error().code == "device-lost";
    if (journal && !lost && table.compiled[i].verified())
      if (auto kept = journal->append(row); !kept) journal_error = kept.error();
  };
  std::map<std::string_view, std::size_t> case_of;
  for (std::size_t i = 0; i < table.cases.size(); ++i) case_of.emplace(table.cases[i].id, i);
  const auto run_job = [&](const Job& job) -> Expected<Observation> {
    const std::size_t i = case_of.at(job.id);
    WARPCLOCK_TRY(compiler.wait(i));
    if (!table.compiled[i].verified()) return Observation{};  // its row holds the reason
    return worker->run(table.timed_job(i));
  };
  auto results = WARPCLOCK_TRY(run_benchmarks(jobs, run_job, bench));
  for (const auto& result : results)
    if (result && !*result && result->error().code == "device-lost") return std::unexpected(result->error());
  const auto compile_s = WARPCLOCK_TRY(compiler.finish());
  for (std::size_t i = 0; i < table.cases.size(); ++i) {
    if (!record.cases[i].id.empty()) continue;
    const CaseRecord* row = table.compiled[i].verified() ? taken_over_row(journal, table.cases[i].id) : nullptr;
    record.cases[i] = row != nullptr ? *row : table.row(i, nullptr);
  }
  describe_probes(inputs.suite, record);
  WARPCLOCK_TRY(refine_curves(inputs.suite, table, record, timed_later(table, *worker, journal)));
  WARPCLOCK_TRY(read_counters(table, *worker, record, journal));
  if (journal_error) return std::unexpected(*journal_error);

  auto nvdisasm = find_nvdisasm(how.nvdisasm);
  record.provenance = gather_provenance(nvdisasm.value_or(""), device.driver, worker->counters());
  record.provenance.others = worker->others();
  record.provenance.compile_s = compile_s;
  record.provenance.measure_s = seconds_since(measuring);
  record.provenance.duration_s = seconds_since(started);
  describe_metrics(inputs.suite, record);
  record.features = find_features(record);
  const int status = summarize(record);
  if (folder.empty()) {
    fmt::print("part of the cases: no report written; --out DIR writes one\n");
  } else {
    WARPCLOCK_TRY(publish(folder, record));
    if (journal) journal->remove();
  }
  const std::string shared = shared_in_words(record);
  if (shared.empty()) return status;
  fmt::print(stderr, "{} {}\n", Style(Stream::Err).yellow("warning:"), shared);
  if (options.exclusive) return refuse_to_share("there was other work on the GPU beside some cases");
  return status;
}

}  // namespace

void add_run(CLI::App& app, Action& action) {
  auto* command = app.add_subcommand("run", "Measure every case on GPU 0 and write its report (reports/<gpu>/)");
  auto options = std::make_shared<RunOptions>();
  options->selection.add_options(*command);
  command->add_option("--out", options->out, "Folder for result.json, report.md and report.html")->type_name("DIR");
  command->add_flag("--fresh", options->fresh, "Do not take over the rows of a run that was stopped");
  command->add_flag("--no-counters", options->no_counters, "Leave hardware counters alone");
  command->add_flag("--exclusive", options->exclusive,
                    "Exit with status 2 where another process is on the GPU, or was busy there beside a case");
  command->add_option("--cache", options->compile.cache_dir, "Folder for compiled code")->type_name("DIR");
  command->add_option("--nvdisasm", options->compile.nvdisasm, "The disassembler to use")->type_name("PATH");
  command->footer(
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
