#include "cli/instructions/machine_command.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <future>
#include <map>

#include "answer/instructions/instruction_cells.hpp"
#include "base/elapsed.hpp"
#include "base/files/file.hpp"
#include "base/files/packed_file.hpp"
#include "base/terminal.hpp"
#include "base/text.hpp"
#include "cli/measuring.hpp"
#include "cli/report_folder.hpp"
#include "code/toolkit.hpp"
#include "compile/ptxas.hpp"
#include "fields/form_table.hpp"
#include "gpu/counters/counters.hpp"
#include "gpu/device/device.hpp"
#include "measure/inputs.hpp"
#include "measure/machine/machine.hpp"
#include "measure/machine/relations.hpp"
#include "plan/arch.hpp"
#include "plan/plan.hpp"

namespace warpclock {

FormBench::FormBench(MachineOptions how, std::size_t lines) : how_(std::move(how)) {
  // Without a hole that is being made, it is made when it is wanted.
  if (auto holes = expected_holes(how_, lines)) holes_ = *std::move(holes);
}

Expected<std::vector<MachineRow>> FormBench::rows_of(Worker& worker, const std::vector<WordForm>& forms) {
  if (!all_) return WARPCLOCK_TRY(measured_machine(worker, forms, how_, holes_)).rows;
  if (!table_) {
    const auto arch = WARPCLOCK_TRY(parse_arch(worker.device().arch));
    const auto all = forms_of(arch).all();
    table_ = WARPCLOCK_TRY(measured_machine(worker, {all.begin(), all.end()}, how_));
    if (!how_.measuring.quiet) summarize_machine(*table_);
  }
  std::vector<MachineRow> rows;
  for (const WordForm& form : forms) rows.push_back(*row_of_form(table_->rows, key_of(form)));
  return rows;
}

namespace {

/// Those of the metrics that the chip has.
std::vector<std::string> known_metrics(const std::string& chip, std::vector<std::string> metrics) {
  const auto unknown = unknown_metrics(chip, metrics);
  if (!unknown) return {};
  std::erase_if(metrics, [&](const std::string& one) { return std::ranges::find(*unknown, one) != unknown->end(); });
  return metrics;
}

void say_what_it_takes() { fmt::print(stderr, "Machine instructions are composed and run; that takes a GPU.\n"); }

Expected<Worker> started(const MeasuringOptions& how) {
  auto worker = Worker::start({.counters = !how.no_counters});
  if (!worker) say_what_it_takes();
  return worker;
}

std::vector<WordForm> chosen_forms(const FormTable& table, const std::vector<std::string>& patterns) {
  std::vector<WordForm> forms;
  for (const WordForm& form : table.all()) {
    const auto wanted = [&](const std::string& pattern) { return matches(pattern, key_of(form)); };
    if (patterns.empty() || std::ranges::any_of(patterns, wanted)) forms.push_back(form);
  }
  return forms;
}

int print_forms(const std::vector<WordForm>& forms) {
  for (const WordForm& form : forms) fmt::print("{}\n", key_of(form));
  fmt::print("{}\n", counted(std::ssize(forms), "machine instruction"));
  return 0;
}

}  // namespace

Expected<std::shared_ptr<Holes>> expected_holes(const MachineOptions& options, std::size_t lines) {
  const auto arch = options.gpu.gpu.empty() ? arch_of_all_gpus() : std::nullopt;
  if (!arch) return std::shared_ptr<Holes>();
  auto nvdisasm = WARPCLOCK_TRY(find_nvdisasm(options.nvdisasm));
  auto holes = std::make_shared<Holes>(*arch, std::move(nvdisasm), options.cache_dir);
  holes->prepare({usual_hole(lines)});
  return holes;
}

Expected<MachineTable> measured_machine(Worker& worker, const std::vector<WordForm>& forms,
                                        const MachineOptions& options, std::shared_ptr<Holes> holes) {
  auto folder = WARPCLOCK_TRY(TemporaryFolder::make());
  auto nvdisasm = WARPCLOCK_TRY(find_nvdisasm(options.nvdisasm));
  MachineTable all;
  all.device = worker.device();
  const auto arch = WARPCLOCK_TRY(parse_arch(worker.device().arch));
  const FormTable& table = forms_of(arch);
  MachineTableOptions how;
  if (!holes || holes->arch() != arch) holes = std::make_shared<Holes>(arch, nvdisasm, options.cache_dir);
  how.holes = std::move(holes);
  how.folder = folder.path();
  how.forms = forms;
  how.architecture = table.all();
  how.desk = {[&](const Job& job) { worker.post(job); }, [&] { return worker.take(); }};
  if (worker.counters_missing().empty()) how.counters = known_metrics(worker.device().chip, study_metrics());
  if (!options.measuring.quiet) how.progress = progress_on_terminal("machine instructions");
  how.failed = [](const MachineRow& row) {
    fmt::print("{} {}: {}: {}\n", Style(Stream::Out).red("failed  "), row.key, row.reason->code, row.reason->text);
    std::fflush(stdout);
  };
  const auto started = Time::now();
  const bool whole = forms.size() == table.all().size();
  if (whole) {
    how.holes->prepare({HoleKind::Usual, HoleKind::WarpGroup, HoleKind::Middle, HoleKind::Long, HoleKind::LongWarpGroup,
                        HoleKind::Longest});
  }
  all.rows = WARPCLOCK_TRY(measure_machine(how));
  if (!options.measuring.no_counters) WARPCLOCK_TRY(count_forms(worker, how, all.rows));
  if (whole) WARPCLOCK_TRY(measure_relations(how, table, all));
  all.provenance = gather_provenance(nvdisasm, worker.device().driver, worker.counters_missing());
  all.provenance.nvrtc.clear();
  if (const auto ptxas = find_ptxas()) all.provenance.ptxas = ptxas_version(*ptxas).value_or("");
  all.provenance.measure_s = all.provenance.duration_s = seconds_since(started);
  note_worker(all.provenance, worker);
  return all;
}

void summarize_machine(const MachineTable& table) {
  std::map<std::string, int> reasons;
  std::ptrdiff_t latency = 0;
  for (const MachineRow& row : table.rows) {
    latency += std::ranges::any_of(row.latencies, [](const DependencyLatency& one) { return !!one.cycles; });
    if (row.reason) ++reasons[row.reason->code];
  }
  const MachineCounts counts = count_rows(table);
  for (const auto& [code, count] : reasons) fmt::print("{:<14} {:>4} not measured\n", code, count);
  fmt::print("{} of {} measured, {} with a latency, {} with an issue interval, in {:.1f} s\n", counts.measured,
             counts.rows, latency, counts.intervals, table.provenance.measure_s);
}

Expected<int> machine_catalogue(const MachineOptions& options) {
  if (options.list && !options.arch.empty()) {
    const auto named = WARPCLOCK_TRY(named_arch(options.arch));
    return print_forms(chosen_forms(forms_of(named), options.patterns));
  }
  outlive_readers();
  WARPCLOCK_TRY(use_gpu(options.gpu.gpu));
  auto worker = WARPCLOCK_TRY(started(options.measuring));
  const auto arch = WARPCLOCK_TRY(parse_arch(worker.device().arch));
  WARPCLOCK_TRY(warn_of_others(worker, options.measuring.exclusive));
  const FormTable& table = forms_of(arch);
  const std::vector<WordForm> forms = chosen_forms(table, options.patterns);
  if (forms.empty()) return fail("filter", "no machine instruction matches; --list shows them");
  if (options.list) return print_forms(forms);
  std::string folder = options.out;
  if (folder.empty() && options.patterns.empty()) folder = "reports/" + worker.device().slug;
  std::optional<FolderLock> lock;
  if (!folder.empty()) lock = WARPCLOCK_TRY(claim(folder));
  if (!options.measuring.quiet)
    fmt::print("{} ({}), {}\n", worker.device().name, worker.device().arch,
               counted(std::ssize(forms), "machine instruction"));
  const auto all = WARPCLOCK_TRY(measured_machine(worker, forms, options));
  // While the table is written.
  const auto ending = std::async(std::launch::async, [&worker] { const Worker ended = std::move(worker); });
  summarize_machine(all);
  if (folder.empty()) {
    fmt::print("part of the forms: no table written; --out DIR writes one\n");
  } else {
    WARPCLOCK_TRY(may_take_place(folder, all, options.measuring.replace));
    WARPCLOCK_TRY(publish(folder, all));
    if (has_packed_file(std::filesystem::path(folder) / "instructions.json"))
      fmt::print("instructions.json has numbers of an earlier table; `warpclock catalogue` measures both\n");
  }
  return warn_of_timer(all.provenance) ? 1 : 0;
}

}  // namespace warpclock
