#include "cli/instructions/catalogue.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <future>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>

#include "answer/instructions/instruction_cells.hpp"
#include "base/elapsed.hpp"
#include "base/escape.hpp"
#include "base/files/file.hpp"
#include "base/files/packed_file.hpp"
#include "base/terminal.hpp"
#include "base/text.hpp"
#include "cli/answers/answers.hpp"
#include "cli/command.hpp"
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
#include "measure/measure_instructions.hpp"
#include "plan/arch.hpp"
#include "plan/plan.hpp"
#include "ptx/catalogue/catalogue.hpp"
#include "ptx/catalogue/guide.hpp"
#include "record/record.hpp"

namespace warpclock {

FormBench::FormBench(MachineOptions how, std::size_t lines) : how_(std::move(how)) {
  // Without a hole that is being made, it is made when it is wanted.
  if (auto holes = expected_holes(how_, lines)) holes_ = *std::move(holes);
}

Expected<std::vector<Row>> FormBench::rows_of(Worker& worker, const std::vector<WordForm>& forms) {
  if (!all_) return WARPCLOCK_TRY(measured_machine(worker, forms, how_, holes_)).rows;
  if (!table_) {
    const auto arch = WARPCLOCK_TRY(parse_arch(worker.device().arch));
    const auto all = forms_of(arch).all();
    table_ = WARPCLOCK_TRY(measured_machine(worker, {all.begin(), all.end()}, how_));
    if (!how_.measuring.quiet) summarize_machine(*table_);
  }
  std::vector<Row> rows;
  for (const WordForm& form : forms) rows.push_back(*find_by(table_->rows, key_of(form), &Row::id));
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

int print_forms(const std::vector<WordForm>& forms) {
  for (const WordForm& form : forms) fmt::print("{}\n", key_of(form));
  fmt::print("{}\n", counted(std::ssize(forms), "machine instruction"));
  return 0;
}

}  // namespace

std::vector<WordForm> chosen_forms(const FormTable& table, const std::vector<std::string>& patterns) {
  std::vector<WordForm> forms;
  std::ranges::copy_if(table.all(), std::back_inserter(forms),
                       [&](const WordForm& form) { return is_wanted(patterns, key_of(form)); });
  return forms;
}

Expected<std::shared_ptr<Holes>> expected_holes(const MachineOptions& options, std::size_t lines) {
  const auto arch = options.gpu.gpu.empty() ? arch_of_all_gpus() : std::nullopt;
  if (!arch) return std::shared_ptr<Holes>();
  auto nvdisasm = WARPCLOCK_TRY(find_nvdisasm(options.nvdisasm));
  auto holes = std::make_shared<Holes>(*arch, std::move(nvdisasm), options.cache_dir);
  holes->prepare({usual_hole(lines)});
  return holes;
}

Expected<Record> measured_machine(Worker& worker, const std::vector<WordForm>& forms, const MachineOptions& options,
                                  std::shared_ptr<Holes> holes) {
  auto folder = WARPCLOCK_TRY(TemporaryFolder::make());
  auto nvdisasm = WARPCLOCK_TRY(find_nvdisasm(options.nvdisasm));
  Record all{.file = RecordFile::Machine, .device = worker.device()};
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
  how.failed = [](const Row& row) {
    fmt::print("{} {}: {}: {}\n", Style(Stream::Out).red("failed  "), row.id, row.reason.code, row.reason.text);
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
  note_ptxas(all.provenance);
  all.provenance.measure_s = all.provenance.duration_s = seconds_since(started);
  note_worker(all.provenance, worker);
  return all;
}

void summarize_machine(const Record& table) {
  std::map<std::string, int> reasons;
  std::ptrdiff_t latency = 0;
  for (const Row& row : rows_of(table, RowKind::Form)) {
    latency += std::ranges::any_of(row.estimates, [](const Estimate& one) { return one.name.starts_with("latency."); });
    if (row.outcome != Outcome::Measured) ++reasons[row.reason.code];
  }
  const MachineCounts counts = count_rows(table);
  for (const auto& [code, count] : reasons) fmt::print("{:<14} {:>4} not measured\n", code, count);
  fmt::print("{} of {} measured, {} with a latency, {} with an issue interval, in {:.1f} s\n", counts.measured,
             counts.rows, latency, counts.intervals, table.provenance.measure_s);
}

namespace {

/// `--sass`: measures every form and writes machine.json.
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

struct RowCounts {
  std::size_t sound = 0, skipped = 0, rejected = 0, failed = 0;

  void add(const Row& row);
};

/// Whether every window of a row was verified in an inquiry that runs nothing, or it was measured.
bool is_sound(const Row& row) {
  return row.outcome == Outcome::Measured || (row.outcome == Outcome::Skipped && row.reason.code == ErrorCode::NotRun);
}

void RowCounts::add(const Row& row) {
  if (is_sound(row)) {
    ++sound;
  } else if (row.outcome == Outcome::Skipped) {
    ++skipped;
  } else {
    ++(row.outcome == Outcome::Failed ? failed : rejected);
  }
}

/// Prints a line for each row that was rejected or failed, and the counts of each family, unless `quiet`. `done`: what
/// happened to sound rows, "measured".
RowCounts count_rows(const std::vector<Row>& rows, const char* done, bool quiet) {
  std::map<std::string, RowCounts> families;
  RowCounts all;
  const Style style(Stream::Out);
  for (const Row& row : rows) {
    families[row.family].add(row);
    all.add(row);
    if (is_sound(row) || row.outcome == Outcome::Skipped) continue;
    constexpr std::size_t most = 160;
    const std::string text = row.reason.text.size() > most ? row.reason.text.substr(0, most) + "..." : row.reason.text;
    fmt::print("{} {}: {}: {}\n", row.outcome == Outcome::Failed ? style.red("failed  ") : style.yellow("rejected"),
               row.id, row.reason.code, text);
  }
  if (quiet) return all;
  for (const auto& [family, count] : families) {
    fmt::print("{:<14} {:>4} {}, {:>3} rejected, {:>3} failed, {:>3} skipped\n", family, count.sound, done,
               count.rejected, count.failed, count.skipped);
  }
  return all;
}

struct CatalogueOptions : MachineOptions {
  std::string configs_dir;
  bool no_throughput = false, sass = false, json = false;
};

Expected<Catalogue> read_catalogue(const std::string& folder) {
  const auto configs = WARPCLOCK_TRY(read_configs(folder));
  return load_catalogue(configs);
}

std::vector<Subject> chosen(const Catalogue& catalogue, const std::vector<std::string>& patterns) {
  std::vector<Subject> subjects;
  for (const CatalogueEntry& entry : catalogue.entries) {
    if (is_wanted(patterns, entry.id))
      subjects.push_back({entry.id, entry.family, entry.ptx, entry.instruction, entry.needs});
  }
  return subjects;
}

/// One line for each instruction that was asked for by name: its cycles, and what it became.
void print_answers(const std::vector<MeasuredInstruction>& found) {
  for (const MeasuredInstruction& one : found) {
    fmt::print("{:<48} {:<24} {}\n", one.record.id, headline(one),
               one_line(opcode_groups(one.record.instruction.became, "x"), 100));
  }
}

int print_list(const std::vector<Subject>& subjects, const Catalogue& catalogue, bool json) {
  if (json) {
    Json all = Json::array();
    for (const Subject& subject : subjects) all.push_back({{"id", subject.id}, {"ptx", subject.ptx}});
    fmt::print("{}", pretty(all));
    return 0;
  }
  for (const Subject& subject : subjects) fmt::print("{:<56} {}\n", subject.id, subject.ptx);
  fmt::print("{}\n", counted(std::ssize(subjects), "instruction"));
  for (const LeftOut& part : catalogue.left_out) fmt::print("left out: {}: {}\n", part.what, part.why);
  return 0;
}

Expected<InstructionOptions> options_for(const CatalogueOptions& options, const Arch& arch) {
  auto nvdisasm = WARPCLOCK_TRY(find_nvdisasm(options.nvdisasm));
  InstructionOptions how;
  how.arch = arch;
  how.compile.build.cache_dir = options.cache_dir;
  how.compile.build.nvdisasm = nvdisasm;
  how.counters = !options.measuring.no_counters;
  if (!options.measuring.quiet) how.progress = progress_on_terminal("instructions");
  if (options.no_throughput) how.compile.throughput = false;
  return how;
}

std::vector<Row> rows_of(std::vector<MeasuredInstruction> found) {
  std::vector<Row> rows;
  rows.reserve(found.size());
  for (MeasuredInstruction& one : found) rows.push_back(std::move(one.record));
  return rows;
}

bool wants_answers(const CatalogueOptions& options) { return !options.patterns.empty() && !options.measuring.quiet; }

Expected<int> verify_only(const CatalogueOptions& options, const std::vector<Subject>& subjects) {
  auto archs = WARPCLOCK_TRY(named_archs(options.arch));
  bool good = true;
  Json json = Json::array();
  for (const Arch& arch : archs) {
    auto how = WARPCLOCK_TRY(options_for(options, arch));
    InstructionTimes times;
    auto found = WARPCLOCK_TRY(measure_instructions(subjects, how, &times));
    if (options.json) {
      for (std::size_t i = 0; i < found.size(); ++i)
        json.push_back(to_json(compiled_sheet({subjects[i].id}, {subjects[i], found[i], ""})));
      good =
          good && std::ranges::all_of(found, [](const auto& one) { return is_sound(one.record) || is_lacking(one); });
      continue;
    }
    if (!options.measuring.quiet) fmt::print("{}\n", to_string(arch));
    if (wants_answers(options)) print_answers(found);
    const RowCounts all = count_rows(rows_of(std::move(found)), "verified", options.measuring.quiet);
    fmt::print("{}: {} verified, {} rejected, {} failed, {} skipped, in {:.1f} s\n", to_string(arch), all.sound,
               all.rejected, all.failed, all.skipped, times.compiling_s);
    good = good && all.rejected + all.failed == 0;
  }
  if (options.json) fmt::print("{}", pretty(json));
  return good ? 0 : 1;
}

/// A part of the catalogue covers too few rows of the guide, so there is no comparison then.
Expected<void> hold_against_guide(const CatalogueOptions& options, Record& table) {
  if (!options.patterns.empty() || options.no_throughput) return {};
  const auto configs = WARPCLOCK_TRY(read_configs(options.configs_dir));
  const auto guide = WARPCLOCK_TRY(load_guide(configs));
  table.guide = compare_with_guide(guide, table);
  if (!table.guide.title.empty() && !options.measuring.quiet) fmt::print("guide: {}\n", guide_summary(table.guide));
  return {};
}

Expected<void> keep(const CatalogueOptions& options, const std::string& folder, const Record& table,
                    const std::optional<Record>& machine) {
  if (folder.empty()) {
    fmt::print("part of the catalogue: no table written; --out DIR writes one\n");
    return {};
  }
  WARPCLOCK_TRY(may_take_place(folder, table, options.measuring.replace));
  if (machine) WARPCLOCK_TRY(may_take_place(folder, *machine, options.measuring.replace));
  if (machine) WARPCLOCK_TRY(publish(folder, *machine));
  return publish(folder, table);
}

Expected<int> measure(const CatalogueOptions& options, const std::vector<Subject>& subjects) {
  const auto started = Time::now();
  outlive_readers();
  WARPCLOCK_TRY(use_gpu(options.gpu.gpu));
  auto worker = Worker::start();
  if (!worker) {
    fmt::print(stderr, "Without a GPU, `warpclock catalogue --arch sm_90a` shows what the machine code says.\n");
    return std::unexpected(worker.error());
  }
  const DeviceFacts device = worker->device();
  auto arch = WARPCLOCK_TRY(parse_arch(device.arch));
  std::string folder = options.out;
  if (folder.empty() && options.patterns.empty() && options.configs_dir.empty()) folder = "reports/" + device.slug;
  std::optional<FolderLock> lock;
  if (!folder.empty()) lock = WARPCLOCK_TRY(claim(folder));
  auto how = WARPCLOCK_TRY(options_for(options, arch));
  how.worker = [&] { return &*worker; };
  FormBench bench(options, options.patterns.empty());
  how.forms = [&](Worker& on, const std::vector<WordForm>& forms) { return bench.rows_of(on, forms); };
  if (!options.measuring.quiet)
    fmt::print("{} ({}, {} SMs), {}, counters {}\n", device.name, device.arch, device.sms,
               counted(std::ssize(subjects), "instruction"), counters_in_words(worker->counters_missing()));
  WARPCLOCK_TRY(warn_of_others(*worker, options.measuring.exclusive));
  InstructionTimes times;
  auto found = WARPCLOCK_TRY(measure_instructions(subjects, how, &times));

  Record table{.file = RecordFile::Instructions};
  table.provenance = gather_provenance(how.compile.build.nvdisasm, device.driver, worker->counters_missing());
  note_ptxas(table.provenance);
  table.provenance.compile_s = times.compiling_s;
  table.provenance.measure_s = times.timing_s + times.counting_s;
  table.provenance.duration_s = seconds_since(started);
  note_worker(table.provenance, *worker);
  table.device = device;
  if (wants_answers(options)) print_answers(found);
  // Unloading a thousand modules takes a while, so the table is written meanwhile.
  const auto unloading = std::async(std::launch::async, [&worker] { const Worker ended = std::move(*worker); });
  table.rows = rows_of(std::move(found));
  const RowCounts all = count_rows(table.rows, "measured", options.measuring.quiet);
  fmt::print(
      "{} measured, {} rejected, {} failed, {} skipped; all were verified after {:.1f} s; overlapping with that: "
      "timing {:.1f} s ({:.1f} s of it for {} rows again), assembling {:.1f} s, counting {:.1f} s; {:.1f} s in all\n",
      all.sound, all.rejected, all.failed, all.skipped, times.compiling_s, times.timing_s, times.again_s, times.again,
      times.assembling_s, times.counting_s, table.provenance.duration_s);
  WARPCLOCK_TRY(hold_against_guide(options, table));
  WARPCLOCK_TRY(keep(options, folder, table, bench.whole()));
  const auto is_shared = [](const Row& row) { return std::ranges::count(row.instruction.labels, "shared") > 0; };
  if (const auto shared = std::ranges::count_if(table.rows, is_shared); shared > 0) {
    fmt::print(stderr,
               "{} {} of {} instructions were measured while other work ran on the GPU, and are marked as shared\n",
               Style(Stream::Err).yellow("warning:"), shared, table.rows.size());
    if (options.measuring.exclusive) return refuse_to_share("other work ran on the GPU during some instructions");
  }
  const bool differs = warn_of_timer(table.provenance);
  return all.rejected + all.failed == 0 && !differs ? 0 : 1;
}

Expected<int> catalogue(const CatalogueOptions& options) {
  if (options.sass) return machine_catalogue(options);
  auto all = WARPCLOCK_TRY(read_catalogue(options.configs_dir));
  const std::vector<Subject> subjects = chosen(all, options.patterns);
  if (subjects.empty()) return fail("filter", "no instruction of the catalogue matches; --list shows them");
  if (options.json && options.arch.empty() && !options.list)
    return fail("usage",
                "--json goes with --list or --arch: what is measured is in the instructions.json that is written");
  if (options.list) return print_list(subjects, all, options.json);
  return options.arch.empty() ? measure(options, subjects) : verify_only(options, subjects);
}

}  // namespace

void add_catalogue(CLI::App& app, Action& action) {
  auto* command = app.add_subcommand(
      "catalogue", "Measure every PTX instruction of the catalogue on a GPU and write the table (reports/<gpu>/)");
  auto options = std::make_shared<CatalogueOptions>();
  add_value(*command, "filter", "PATTERN", options->patterns,
            "Instructions to take: part of an id, or a pattern with *");
  add_arch_option(*command, options->arch, "Run nothing: verify the windows for these architectures, or all");
  command->add_flag("--sass", options->sass, "Machine instructions instead, composed with no compiler");
  command->add_flag("--list", options->list, "Show the instructions, and what is left out and why");
  add_value(*command, "--out", "DIR", options->out, "Folder for instructions.json.gz (zcat prints the JSON) and .html");
  add_device_option(*command, options->gpu.gpu);
  add_value(*command, "--configs", "DIR", options->configs_dir,
            "Folder with instructions/*.yaml instead of the ones built in");
  add_measuring_options(*command, options->measuring);
  command->add_flag("--no-throughput", options->no_throughput, "Only latencies");
  command->add_flag("--json", options->json, "Machine-readable, with --list or --arch");
  add_build_options(*command, options->cache_dir, options->nvdisasm);
  command->footer(
      "Examples:\n"
      "  warpclock catalogue --list ldmatrix\n"
      "  warpclock catalogue --arch sm_90a fp32/fma\n"
      "  warpclock catalogue --gpu 1 --out /tmp/shfl 'warp/shfl*'");
  command->callback([options, &action] { action = [options] { return catalogue(*options); }; });
}

}  // namespace warpclock
