#include "cli/machine_command.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <map>
#include <utility>

#include "base/elapsed.hpp"
#include "base/escape.hpp"
#include "base/terminal.hpp"
#include "base/text.hpp"
#include "cli/options/arch_choice.hpp"
#include "cli/options/device_choice.hpp"
#include "cli/provenance.hpp"
#include "cli/report_folder.hpp"
#include "cli/sharing.hpp"
#include "cli/subjects.hpp"
#include "code/nvdisasm.hpp"
#include "compile/ptxas.hpp"
#include "fields/form_table.hpp"
#include "measure/inputs.hpp"
#include "measure/machine/machine.hpp"
#include "measure/machine/relations.hpp"
#include "model/measured.hpp"
#include "plan/plan.hpp"
#include "record/machine_record.hpp"

namespace warpclock {
namespace {

/// A folder that is removed with its content on destruction.
class TemporaryFolder {
 public:
  [[nodiscard]] static Expected<TemporaryFolder> make() {
    std::string pattern = (std::filesystem::temp_directory_path() / "warpclock.XXXXXX").string();
    if (mkdtemp(pattern.data()) == nullptr) return fail("io", fmt::format("cannot make {}", pattern));
    TemporaryFolder folder;
    folder.path_ = pattern;
    return folder;
  }
  TemporaryFolder(TemporaryFolder&& other) noexcept : path_(std::exchange(other.path_, {})) {}
  TemporaryFolder& operator=(TemporaryFolder&&) = delete;
  ~TemporaryFolder() {
    std::error_code ignored;
    if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
  }

  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  TemporaryFolder() = default;
  std::string path_;
};

struct Measured {
  MachineTable table;
  double seconds = 0;
};

Expected<Measured> measured(Worker& worker, const std::vector<WordForm>& forms, const FormTable& table,
                            const std::string& given_nvdisasm) {
  auto folder = WARPCLOCK_TRY(TemporaryFolder::make());
  auto nvdisasm = WARPCLOCK_TRY(find_nvdisasm(given_nvdisasm));
  Measured all;
  all.table.device = worker.device();
  const auto arch = WARPCLOCK_TRY(parse_arch(worker.device().arch));
  MachineTableOptions how;
  how.arch = arch;
  how.folder = folder.path();
  how.nvdisasm = nvdisasm;
  how.forms = forms;
  how.architecture = table.all();
  how.desk = {[&](const Job& job) { worker.post(job); }, [&] { return worker.take(); }};
  if (is_terminal(Stream::Err)) {
    how.progress = [](std::size_t done, std::size_t total) {
      fmt::print(stderr, "\r\033[K{}/{} machine instructions", done, total);
      if (done == total) fmt::print(stderr, "\r\033[K");
      std::fflush(stderr);
    };
  }
  how.failed = [](const MachineRow& row) {
    fmt::print("{} {}: {}: {}\n", Style(Stream::Out).red("failed  "), row.key, row.reason->code, row.reason->text);
    std::fflush(stdout);
  };
  const auto started = Time::now();
  all.table.rows = WARPCLOCK_TRY(measure_machine(how));
  if (forms.size() == table.all().size()) WARPCLOCK_TRY(measure_relations(how, table, all.table));
  all.seconds = seconds_since(started);
  all.table.provenance = gather_provenance(nvdisasm, worker.device().driver, worker.counters_missing());
  all.table.provenance.nvrtc.clear();
  if (const auto ptxas = find_ptxas()) all.table.provenance.ptxas = ptxas_version(*ptxas).value_or("");
  all.table.provenance.measure_s = all.table.provenance.duration_s = all.seconds;
  all.table.provenance.others = worker.others();
  return all;
}

std::string number(double value) { return fmt::format("{:.2f}", value); }

std::string in_words(const DependencyLatency& latency) {
  std::string text = fmt::format("    latency {:<14}", latency.operand);
  text += latency.cycles ? fmt::format("{} cycles", number(latency.cycles->value)) : std::string("-");
  if (latency.least_right) text += fmt::format(", least right stall count {}", *latency.least_right);
  if (latency.busy_least_right > latency.least_right)
    text += fmt::format(" ({} among other warps)", *latency.busy_least_right);
  if (!latency.through.empty())
    text += fmt::format(", through {} ({:g} cycles)", latency.through, latency.through_cycles);
  if (!latency.note.empty()) text += fmt::format(" ({})", latency.note);
  return text;
}

void print_row(const MachineRow& row, const Style& style) {
  fmt::print("{}\n", style.bold(row.key));
  if (row.reason) {
    fmt::print("    {} {}\n", style.yellow(row.reason->code), row.reason->text);
    return;
  }
  for (const DependencyLatency& latency : row.latencies) fmt::print("{}\n", in_words(latency));
  if (row.encoded) fmt::print("    ptxas leaves         {} cycles or more before the result is read\n", *row.encoded);
  if (row.interval) {
    fmt::print("    interval             {} cycles a warp instruction and sub-partition ({})\n",
               number(row.interval->value), row.interval->note);
  }
  for (const IssueCell& cell : row.cells) {
    if (cell.stall != 1 || cell.yield) continue;
    std::vector<std::string> curve;
    for (const auto& [n, cycles] : cell.curve) curve.push_back(fmt::format("{}:{:g}", n, cycles));
    fmt::print("    {}\n", style.dim(fmt::format("{:>2} warps  {:>7}  {} {}", cell.warps, number(cell.cycles),
                                                 join(curve, " "), cell.note)));
  }
  const auto least = std::ranges::min_element(
      row.cells, {}, [](const IssueCell& cell) { return cell.cycles > 0 ? cell.cycles : 1e9; });
  if (std::ranges::any_of(row.cells, [](const IssueCell& cell) { return cell.stall != 1; })) {
    fmt::print("    {} cells over stall counts and yield; the least is {} cycles, of {} warps at stall count {}{}\n",
               row.cells.size(), number(least->cycles), least->warps, least->stall, least->yield ? " with yield" : "");
  }
}

void say_what_it_takes() { fmt::print(stderr, "Machine instructions are composed and run; that takes a GPU.\n"); }

Expected<Worker> started() {
  auto worker = Worker::start();
  if (!worker) say_what_it_takes();
  return worker;
}

/// The form of a line, or an error with the nearest ones.
Expected<const WordForm*> form_of(const FormTable& table, const AskedLine& line) {
  const std::string key = key_of(skeleton_of(line.text));
  if (const WordForm* form = table.find(key)) return form;
  const std::string opcode = key.substr(0, key.find(' ', key.find(' ') + 1));
  std::vector<std::string> near;
  constexpr std::size_t most = 8;
  for (const WordForm& form : table.all()) {
    if (near.size() < most && key_of(form).starts_with(opcode)) near.push_back(key_of(form));
  }
  return fail("sass",
              fmt::format("'{}' is not among the forms of this architecture{}{}", one_line(key),
                          near.empty() ? "" : "; near it are: ", join(near, "; ")),
              line.number > 0 ? std::to_string(line.number) : "");
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

void summarize_machine(const Measured& all) {
  std::map<std::string, int> reasons;
  std::ptrdiff_t measured = 0, latency = 0, interval = 0;
  for (const MachineRow& row : all.table.rows) {
    const bool with = std::ranges::any_of(row.latencies, [](const DependencyLatency& one) { return !!one.cycles; });
    measured += with || row.interval;
    latency += with;
    interval += row.interval.has_value();
    if (row.reason) ++reasons[row.reason->code];
  }
  for (const auto& [code, count] : reasons) fmt::print("{:<14} {:>4} not measured\n", code, count);
  fmt::print("{} of {} measured, {} with a latency, {} with an issue interval, in {:.1f} s\n", measured,
             all.table.rows.size(), latency, interval, all.seconds);
}

/// Prints the rows of these lines in the records of measured GPUs.
Expected<int> recorded_cycles(const MachineOptions& options, const std::vector<std::filesystem::path>& folders) {
  const Style style(Stream::Out);
  const std::vector<AskedLine> lines = lines_of(options.lines);
  int status = 0;
  for (const std::filesystem::path& folder : folders) {
    const auto machine = WARPCLOCK_TRY(read_gpu_machine(folder));
    if (!machine && !options.gpu.gpu.empty())
      return fail("gpu", "there is no machine.json; `warpclock catalogue --sass` measures one", folder.string());
    if (!machine) continue;
    const auto arch = WARPCLOCK_TRY(parse_arch(machine->device.arch));
    for (const AskedLine& line : lines) {
      const auto form = form_of(forms_of(arch), line);
      if (!form) status = complain(form.error());
      if (!form) continue;
      const auto row = std::ranges::find(machine->rows, key_of(**form), &MachineRow::key);
      if (row == machine->rows.end()) {
        fmt::print("{}: there is no row ({})\n", key_of(**form), measured_when(machine->device, machine->provenance));
        status = std::max(status, 1);
        continue;
      }
      print_row(*row, style);
      fmt::print("    {}\n",
                 style.dim(fmt::format("{}, {}, commit {}", measured_when(machine->device, machine->provenance),
                                       (folder / "machine.json").string(), machine->provenance.commit.substr(0, 8))));
    }
  }
  return status;
}

}  // namespace

Expected<int> machine_cycles(const MachineOptions& options) {
  auto here = options.gpu.gpu.empty() ? Worker::start() : Expected<Worker>(fail("gpu", "a measured GPU answers"));
  if (!here) {
    if (options.gpu.here) return std::unexpected(here.error());
    const auto folders = WARPCLOCK_TRY(answering_folders(options.gpu));
    if (!folders.empty()) return recorded_cycles(options, folders);
    say_what_it_takes();
    return std::unexpected(here.error());
  }
  Worker& worker = *here;
  const auto arch = WARPCLOCK_TRY(parse_arch(worker.device().arch));
  const FormTable& table = forms_of(arch);
  std::vector<WordForm> forms;
  int status = 0;
  for (const AskedLine& line : lines_of(options.lines)) {
    const auto form = form_of(table, line);
    if (form) forms.push_back(**form);
    if (!form) status = complain(form.error());
  }
  if (forms.empty()) return status;
  const auto all = WARPCLOCK_TRY(measured(worker, forms, table, options.nvdisasm));
  const Style style(Stream::Out);
  for (const MachineRow& row : all.table.rows) print_row(row, style);
  return status;
}

Expected<int> machine_catalogue(const MachineOptions& options) {
  if (options.list && !options.arch.empty()) {
    const auto named = WARPCLOCK_TRY(named_arch(options.arch));
    return print_forms(chosen_forms(forms_of(named), options.patterns));
  }
  WARPCLOCK_TRY(use_gpu(options.gpu.gpu));
  auto worker = WARPCLOCK_TRY(started());
  const auto arch = WARPCLOCK_TRY(parse_arch(worker.device().arch));
  if (warn_of_others(worker) && options.exclusive) return refuse_to_share("the GPU is not this process's alone");
  const FormTable& table = forms_of(arch);
  const std::vector<WordForm> forms = chosen_forms(table, options.patterns);
  if (forms.empty()) return fail("filter", "no machine instruction matches; --list shows them");
  if (options.list) return print_forms(forms);
  std::string folder = options.out;
  if (folder.empty() && options.patterns.empty()) folder = "reports/" + worker.device().slug;
  if (!folder.empty()) WARPCLOCK_TRY(may_fill(folder));
  fmt::print("{} ({}), {}\n", worker.device().name, worker.device().arch,
             counted(std::ssize(forms), "machine instruction"));
  const auto all = WARPCLOCK_TRY(measured(worker, forms, table, options.nvdisasm));
  summarize_machine(all);
  if (folder.empty()) {
    fmt::print("part of the forms: no table written; --out DIR writes one\n");
    return 0;
  }
  WARPCLOCK_TRY(write_machine(folder, all.table));
  fmt::print("wrote {0}/machine.json.gz, {0}/machine.md, {0}/machine.html\n", folder);
  WARPCLOCK_TRY(refresh_gallery(folder));
  return 0;
}

}  // namespace warpclock
