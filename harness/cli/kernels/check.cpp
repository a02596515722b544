#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "answer/numbers/answer.hpp"
#include "base/elapsed.hpp"
#include "base/error.hpp"
#include "base/files/file.hpp"
#include "base/files/packed_file.hpp"
#include "base/parallel.hpp"
#include "base/terminal.hpp"
#include "check/blocks/block.hpp"
#include "check/case_row.hpp"
#include "check/study.hpp"
#include "cli/command.hpp"
#include "cli/measuring.hpp"
#include "cli/options/options.hpp"
#include "cli/report_folder.hpp"
#include "code/toolkit.hpp"
#include "gpu/counters/counters.hpp"
#include "gpu/worker/worker.hpp"
#include "model/measured.hpp"
#include "plan/plan.hpp"
#include "record/json/record_json.hpp"

namespace warpclock {
namespace {

namespace fs = std::filesystem;

constexpr int most_blocks = 100'000;

struct CheckCommand {
  std::string file, model, out, cache, nvdisasm;
  std::vector<std::string> patterns, include;
  std::int64_t blocks = 0;  ///< generated kernels instead of those of a file
  std::uint64_t seed = 1;
  bool json = false, no_counters = false, exclusive = false, show = false;
  GpuChoice gpu;
};

/// The GPU of this machine, or why nothing is measured.
struct Bench {
  std::optional<Worker> worker;
  std::string why_none;
  bool asked_for_none = false;  ///< a measured GPU was named, so that predictions are all that is wanted
};

struct Model {
  Machine machine;
  DeviceFacts device;  ///< of its records
};

Expected<Bench> open_bench(const CheckCommand& command) {
  Bench bench;
  const auto choice = WARPCLOCK_TRY(with_device(command.gpu));
  if (!choice.gpu.empty()) {
    bench.asked_for_none = true;
    bench.why_none = "only predictions were asked for by --gpu " + choice.gpu;
    return bench;
  }
  auto worker = Worker::start({.counters = !command.no_counters});
  if (worker)
    bench.worker = *std::move(worker);
  else if (choice.here)
    return std::unexpected(worker.error());
  else
    bench.why_none = "there is no GPU: " + worker.error().text;
  return bench;
}

/// Of --model; else of the GPU that is measured or was named; without both, of an H200.
Expected<Model> open_model(const CheckCommand& command, const Bench& bench) {
  const auto reports = WARPCLOCK_TRY(find_reports(command.gpu.reports));
  const std::string word = !command.model.empty() ? command.model
                           : bench.worker         ? bench.worker->device().slug
                           : bench.asked_for_none ? command.gpu.gpu
                                                  : "h200";
  auto folder = choose_gpu(WARPCLOCK_TRY(measured_gpus(reports)), word);
  if (!folder) {
    folder.error().text += "; predict with the costs of another GPU by --model";
    return std::unexpected(folder.error());
  }
  const auto records = WARPCLOCK_TRY(read_measured_gpu(reports, *folder));
  Model model;
  model.machine = WARPCLOCK_TRY(make_machine(records));
  if (!records.results.empty()) model.device = records.results.begin()->second.device;
  return model;
}

Expected<std::vector<KernelCase>> cases_of(const CheckCommand& command, const DeviceFacts& device) {
  if (command.blocks > 0) {
    const auto arch = WARPCLOCK_TRY(parse_arch(device.arch));
    return chosen_cases(block_cases(command.seed, command.blocks, device.sms, arch), command.patterns, command.file);
  }
  const auto text = WARPCLOCK_TRY(read_file(command.file, most_text_bytes));
  const auto studies = WARPCLOCK_TRY(read_studies(command.file, text));
  return chosen_cases(WARPCLOCK_TRY(kernel_cases(studies, device.sms)), command.patterns, command.file);
}

/// Error "out" if the folder holds measurements that `table` lacks: they would be lost. Error "worse" if it holds a
/// prediction where that of `table` failed for reasons of this machine.
Expected<void> keeps_measurements(const std::string& folder, const Record& table) {
  const fs::path path = fs::path(folder) / "cases.json.gz";
  if (!has_packed_file(path)) return {};
  const auto before = WARPCLOCK_TRY(read_record(path, {{RecordFile::Cases}}));
  for (const Row& row : before.rows) {
    const auto now = std::ranges::find(table.rows, row.id, &Row::id);
    if (row.outcome == Outcome::Measured && (now == table.rows.end() || now->outcome == Outcome::Skipped))
      return fail("out", fmt::format("it has a measurement of {} that this run lacks: write to another folder", row.id),
                  path.string());
    if (row.outcome != Outcome::Failed && now != table.rows.end() && now->outcome == Outcome::Failed &&
        is_of_the_machine(now->reason.code))
      return fail("worse",
                  fmt::format("it has {}, which failed here for reasons of this machine ({}: {}). Mend that and check "
                              "again, or write to another folder",
                              row.id, now->reason.code, now->reason.text),
                  path.string());
  }
  return {};
}

int status_of(const Record& table, const Bench& bench) {
  if (!bench.worker && !bench.asked_for_none) return 2;
  const bool sound = std::ranges::all_of(table.rows, [](const Row& row) {
    return row.outcome != Outcome::Failed && row.outcome != Outcome::Rejected && row.kernel.prediction.refused.empty();
  });
  return sound ? 0 : 1;
}

/// The cases, their machine code and their rows, in the same order.
struct Prepared {
  std::vector<KernelCase> cases;
  std::vector<Expected<BuiltKernel>> built;
  Record table;
};

Prepared prepare(CaseBuilder& builder, std::vector<KernelCase> cases, const Machine& machine) {
  Prepared all;
  const auto progress = progress_on_terminal("kernels predicted");
  all.built = builder.build(cases);
  all.table.rows.resize(cases.size());
  std::mutex counting;
  std::size_t done = 0;
  for_each_at_once(cases.size(), [&](std::size_t i) {
    const auto row = [&](const Expected<BuiltKernel>& built) { return predicted_row(cases[i], built, machine); };
    const auto made = caught(cases[i].source, [&]() -> Expected<Row> { return row(all.built[i]); });
    all.table.rows[i] = made ? *made : row(std::unexpected(made.error()));
    const std::scoped_lock lock(counting);
    if (progress) progress(++done, cases.size());
  });
  all.cases = std::move(cases);
  return all;
}

void measure(Prepared& all, Worker& worker, const Machine& machine) {
  const std::vector<std::string> counters =
      worker.counters_missing().empty() ? limit_counters() : std::vector<std::string>();
  const auto progress = progress_on_terminal("kernels measured");
  for (std::size_t i = 0; i < all.cases.size(); ++i) {
    Row& row = all.table.rows[i];
    if (all.built[i]) {
      add_answer(row, worker.run(job_of(all.cases[i], *all.built[i], counters)), machine);
      if (row.counters_missing.empty()) row.counters_missing = worker.counters_missing();
    }
    if (progress) progress(i + 1, all.cases.size());
  }
}

void print_cases(const Record& table, const Bench& bench) {
  const Style style(Stream::Out);
  fmt::print("costs of {}", table.model);
  if (bench.worker) fmt::print("; measured on {}", table.device.name);
  fmt::print("\n\n");
  for (const Row& row : table.rows) fmt::print("{}", row_text(row, style));
  fmt::print("\n{}", table_text(table));
  if (!bench.worker) fmt::print("nothing was measured: {}\n", bench.why_none);
}

Expected<int> check_kernels(CheckCommand command) {
  if (command.file.empty() && command.blocks == 0)
    return fail("usage", "name a FILE with `kernels:`, or generate kernels by --blocks N");
  // Without a file, the first word is a pattern too.
  if (command.blocks > 0 && !command.file.empty()) command.patterns.push_back(std::exchange(command.file, {}));
  const auto started = Time::now();
  auto bench = WARPCLOCK_TRY(open_bench(command));
  const auto model = WARPCLOCK_TRY(open_model(command, bench));
  const DeviceFacts& device = bench.worker ? bench.worker->device() : model.device;
  if (bench.worker) outlive_readers();
  if (bench.worker) WARPCLOCK_TRY(warn_of_others(*bench.worker, command.exclusive));
  auto cases = WARPCLOCK_TRY(cases_of(command, device));
  std::optional<FolderLock> lock;
  if (!command.out.empty()) lock = WARPCLOCK_TRY(claim(command.out));
  LoadOptions how;
  how.arch_given = true;
  how.arch = WARPCLOCK_TRY(parse_arch(device.arch));
  if (command.show) {
    for (const KernelCase& one : cases) fmt::print("// {}\n{}", one.id, ptx_alone(one, how.arch));
    return 0;
  }
  how.include = command.include;
  how.nvdisasm = WARPCLOCK_TRY(find_nvdisasm(command.nvdisasm));
  how.cache = command.cache;
  CaseBuilder builder(fs::path(command.file).parent_path(), how, command.cache);
  Prepared all = prepare(builder, std::move(cases), model.machine);
  const double compile_s = seconds_since(started);
  if (bench.worker) measure(all, *bench.worker, model.machine);

  Record& table = all.table;
  table.file = RecordFile::Cases;
  table.device = device;
  table.model = model.machine.gpu;
  for (const RecordSource& source : model.machine.records)
    table.model_records.push_back(fmt::format("{} {} {}", source.file, source.commit.substr(0, 7), source.date));
  table.provenance =
      gather_provenance(how.nvdisasm, device.driver,
                        bench.worker ? bench.worker->counters_missing() : "nothing was measured: " + bench.why_none);
  if (bench.worker) note_worker(table.provenance, *bench.worker);
  table.provenance.compile_s = compile_s;
  table.provenance.duration_s = seconds_since(started);
  table.provenance.measure_s = table.provenance.duration_s - compile_s;
  table = finished(std::move(table));

  if (command.json)
    fmt::print("{}", to_json(table));
  else
    print_cases(table, bench);
  if (!command.out.empty()) {
    WARPCLOCK_TRY(keeps_measurements(command.out, table));
    WARPCLOCK_TRY(publish(command.out, table, command.json));
  }
  const bool differs = warn_of_timer(table.provenance);
  return std::max(status_of(table, bench), differs ? 1 : 0);
}

}  // namespace

void add_check(CLI::App& app, Action& action) {
  auto* command = app.add_subcommand(
      "check", "Predict kernels and measure them: cycles, signed error, and the limiter that counters show");
  auto options = std::make_shared<CheckCommand>();
  add_value(*command, "file", "FILE", options->file, "The kernels and how they are launched: YAML with `kernels:`");
  auto* blocks = add_value(*command, "--blocks", "N", options->blocks,
                           "Instead of FILE: this many generated kernels, random mixes of instructions")
                     ->check(CLI::Range(1, most_blocks));
  add_value(*command, "--seed", "SEED", options->seed, "The seed that blocks are generated from (default 1)")
      ->needs(blocks);
  command->add_flag("--show", options->show, "Print the PTX of the blocks, and do nothing else")->needs(blocks);
  add_value(*command, "pattern", "CASE", options->patterns,
            "Only cases whose id matches: a part of it, or all of it with *");
  options->gpu.add_options(*command);
  add_value(*command, "--model", "GPU", options->model,
            "Predict with the costs of this measured GPU instead of those of the GPU that measures");
  add_value(*command, "--out", "DIR", options->out, "Folder for cases.json.gz (zcat prints the JSON) and cases.html");
  add_include_option(*command, options->include);
  command->add_flag("--no-counters", options->no_counters, "Read no hardware counters: time by events only");
  command->add_flag("--exclusive", options->exclusive, "Exit with status 2 where another process is on the GPU");
  add_build_options(*command, options->cache, options->nvdisasm);
  command->add_flag("--json", options->json, "Machine-readable");
  command->footer(
      "Each case runs in a worker process: one that faults, hangs or asks for too much is a failed row, and the "
      "others\n"
      "go on. Cycles are those of the SM that had warps longest, by a counter; without counters, the time between two\n"
      "events less that of an empty kernel. docs/check.md has the keys of the file. Exit status: 0 all were predicted\n"
      "and measured; 1 one was refused or failed; 2 nothing was measured because there is no GPU. Examples:\n"
      "  warpclock check configs/cases.yaml\n"
      "  warpclock check configs/cases.yaml 'transpose*' --json | jq '.rows[] | [.id, .estimates[].value]'\n"
      "  warpclock check configs/cases.yaml --gpu h100 --out /tmp/predicted     # predictions alone\n"
      "  warpclock check --blocks 300 --seed 1 --out /tmp/blocks\n"
      "`warpclock schema record` prints the schema of the JSON.");
  command->callback([options, &action] { action = [options] { return check_kernels(*options); }; });
}

}  // namespace warpclock
