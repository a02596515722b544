#include "cli/instructions/machine_command.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <future>
#include <iterator>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "base/elapsed.hpp"
#include "base/escape.hpp"
#include "base/files/packed_file.hpp"
#include "base/files/temporary_folder.hpp"
#include "base/output.hpp"
#include "base/terminal.hpp"
#include "base/text.hpp"
#include "cli/answers/answers.hpp"
#include "cli/measuring.hpp"
#include "cli/options/options.hpp"
#include "cli/report_folder.hpp"
#include "cli/subjects.hpp"
#include "code/nvdisasm.hpp"
#include "compile/ptxas.hpp"
#include "fields/form_table.hpp"
#include "gpu/counters/counters.hpp"
#include "gpu/device/nvml.hpp"
#include "measure/inputs.hpp"
#include "measure/machine/form_counters.hpp"
#include "measure/machine/machine.hpp"
#include "measure/machine/relations.hpp"
#include "plan/plan.hpp"
#include "record/machine_record.hpp"
#include "report/instructions/machine_parts.hpp"

namespace warpclock {
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

/// "FFMA" of "@PT FFMA R#, R#, R#, R#"
std::string opcode_in(const std::string& key) { return split(key, ' ').at(1); }

/// The form of a line, or an error with the nearest ones, or the nearest opcode.
Expected<const WordForm*> form_of(const FormTable& table, const AskedLine& line) {
  // A person may paste a form as it is printed: "@PT IADD3 R#, R#, R#, R#".
  if (const WordForm* form = table.find(trim(line.text))) return form;
  const std::string key = key_of(skeleton_of(line.text));
  if (const WordForm* form = table.find(key)) return form;
  const std::string opcode = key.substr(0, key.find(' ', key.find(' ') + 1));
  std::vector<std::string> near, opcodes;
  constexpr std::size_t most = 8;
  for (const WordForm& form : table.all()) {
    opcodes.push_back(opcode_in(key_of(form)));
    if (near.size() < most && key_of(form).starts_with(opcode)) near.push_back(key_of(form));
  }
  const std::string hint = near.empty() && key.contains(' ') ? did_you_mean(opcode_in(key), opcodes) : "";
  return fail("sass", fmt::format("'{}' is not among the forms of this architecture{}{}{}", one_line(key),
                                  near.empty() ? "" : "; near it are: ", join(near, "; "), hint));
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

/// The rows of these lines in the record of each GPU; of a line that is only an opcode, all its rows.
Expected<std::vector<MachineAnswer>> recorded_rows(const std::vector<std::string>& given,
                                                   const std::vector<RecordedMachine>& machines) {
  const auto lines = WARPCLOCK_TRY(lines_of(given));
  std::vector<MachineAnswer> answers;
  for (const RecordedMachine& machine : machines) {
    const auto arch = WARPCLOCK_TRY(parse_arch(machine.table.device.arch));
    for (const AskedLine& line : lines) {
      MachineAnswer answer{line, fail("sass", "there is no row in " + machine.from), machine.by, machine.from};
      answer.listed = rows_of_opcode(machine.table, std::string(trim(line.text)));
      if (answer.listed.empty()) {
        const auto form = form_of(forms_of(arch), line);
        if (!form) answer.row = std::unexpected(form.error());
        if (const MachineRow* row = row_of_form(machine.table.rows, form ? key_of(**form) : "")) answer.row = *row;
      }
      answers.push_back(std::move(answer));
    }
  }
  return answers;
}

/// The rows of these lines, measured by the worker. `holes` as for measured().
Expected<std::vector<MachineAnswer>> measured_rows(const MachineOptions& options, Worker& worker,
                                                   std::shared_ptr<Holes> holes) {
  const auto arch = WARPCLOCK_TRY(parse_arch(worker.device().arch));
  const FormTable& table = forms_of(arch);
  std::vector<WordForm> forms;
  std::vector<MachineAnswer> answers;
  std::vector<std::string> keys;
  const auto lines = WARPCLOCK_TRY(lines_of(options.lines));
  for (const AskedLine& line : lines) {
    const auto form = form_of(table, line);
    answers.push_back({line, form ? fail("sass", "it was not measured") : std::unexpected(form.error()),
                       short_name(worker.device()) + ", measured", ""});
    keys.push_back(form ? key_of(**form) : "");
    if (form) forms.push_back(**form);
  }
  if (forms.empty()) return answers;
  const auto all = WARPCLOCK_TRY(measured_machine(worker, forms, options, std::move(holes)));
  for (std::size_t i = 0; i < answers.size(); ++i) {
    if (const MachineRow* row = row_of_form(all.rows, keys[i])) answers[i].row = *row;
  }
  return answers;
}

/// Prints them as text or JSON. The exit status is 2 if no line was answered, 1 if one was not.
int print_answers(const std::vector<MachineAnswer>& answers, bool json) {
  const Style style(Stream::Out);
  nlohmann::ordered_json all = nlohmann::ordered_json::array();
  std::size_t answered = 0;
  for (MachineAnswer answer : answers) {
    answered += answer.row.has_value() || !answer.listed.empty();
    if (!answer.row) answer.row = std::unexpected(error_in(answer.asked, answer.row.error()));
    if (json) all.push_back(machine_json(answer));
    if (!json) fmt::print("{}", machine_text(answer, style));
  }
  if (json) fmt::print("{}\n", all.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace));
  return answered == answers.size() ? 0 : answered == 0 ? 2 : 1;
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

Expected<int> machine_cycles(const MachineOptions& options) {
  auto holes = WARPCLOCK_TRY(expected_holes(options, options.lines.size()));
  auto here = options.gpu.gpu.empty() ? Worker::start() : Expected<Worker>(fail("gpu", "a measured GPU answers"));
  std::vector<MachineAnswer> answers;
  if (here) {
    answers = WARPCLOCK_TRY(measured_rows(options, *here, std::move(holes)));
  } else {
    if (options.gpu.here) return std::unexpected(here.error());
    const auto machines = WARPCLOCK_TRY(recorded_machines(options.gpu));
    if (machines.empty()) say_what_it_takes();
    if (machines.empty()) return std::unexpected(here.error());
    answers = WARPCLOCK_TRY(recorded_rows(options.lines, machines));
  }
  if (answers.empty()) return fail("usage", "no instruction was given");
  return print_answers(answers, options.json);
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
