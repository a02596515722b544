#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/lookup.hpp"
#include "base/sheet/sheet.hpp"
#include "base/terminal.hpp"
#include "base/text.hpp"
#include "cli/answers/answers.hpp"
#include "cli/answers/inquiry.hpp"
#include "cli/command.hpp"
#include "cli/instructions/catalogue.hpp"
#include "cli/options/options.hpp"
#include "code/toolkit.hpp"
#include "fields/form_table.hpp"
#include "gpu/device/device.hpp"
#include "gpu/worker/worker.hpp"
#include "measure/block_ways.hpp"
#include "measure/inputs.hpp"
#include "measure/measure_instructions.hpp"
#include "record/record.hpp"

namespace warpclock {
namespace {

/// Whether the table of a GPU of that architecture has a row for a form, or a near one. May be called from several
/// threads, as long as `machines` lives. Empty if there is no such GPU.
std::function<bool(const WordForm&)> answered_by(const std::vector<RecordedMachine>& machines,
                                                 const std::string& arch) {
  std::vector<const RecordedMachine*> of_arch;
  for (const RecordedMachine& machine : machines) {
    if (machine.table.device.arch != arch) continue;
    of_arch.push_back(&machine);
    std::ignore = machine.pairs();  // made before several threads read it
  }
  if (of_arch.empty()) return {};
  return [of_arch](const WordForm& form) {
    return std::ranges::any_of(
        of_arch, [&](const RecordedMachine* machine) { return find_row(*machine, key_of(form)).has_value(); });
  };
}

/// Measures the forms of these machine instructions on the worker. What is no form of the table is answered by the
/// records. Errors: those of the worker and of FormBench.
Expected<void> measure_forms(const std::vector<Inquiry*>& asked, const FormTable& table, RecordedMachines& machines,
                             FormBench& bench, const std::function<Expected<Worker*>()>& worker) {
  std::vector<WordForm> forms;
  std::vector<Inquiry*> with_form;
  for (Inquiry* question : asked) {
    if (const WordForm* form = table.find(asked_key(question->asked.code))) {
      forms.push_back(*form);
      with_form.push_back(question);
      continue;
    }
    const auto all = WARPCLOCK_TRY(machines.all());
    for (const RecordedMachine& machine : *all) question->machine.push_back(machine_answer(machine, question->asked));
  }
  if (forms.empty()) return {};
  Worker* const here = WARPCLOCK_TRY(worker());
  const auto rows = WARPCLOCK_TRY(bench.rows_of(*here, forms));
  for (std::size_t i = 0; i < with_form.size(); ++i) {
    MachineAnswer answer{with_form[i]->asked, rows[i], short_name(here->device()) + ", measured", ""};
    answer.differs = beyond_form(answer.asked.code);
    with_form[i]->machine.push_back(std::move(answer));
  }
  return {};
}

/// What was compiled, and measured if a GPU was there: for each architecture a row of each subject.
using ArchAnswers = std::vector<std::vector<MeasuredInstruction>>;

/// Prints the answers in the order of the lines, as text or as one JSON array, and counts what has none.
class AnswerPrinter {
 public:
  /// `show`: with the windows of what was compiled.
  AnswerPrinter(bool json, bool show) : as_json_(json), show_(show) {}

  void refused(const Inquiry& question, const OpcodeTable& opcodes);
  void recorded(const Inquiry& question);
  /// `gpu` is the name of the GPU that ran it, or empty.
  void compiled(const Inquiry& question, const ArchAnswers& answers, const std::string& gpu);

  /// The exit status: 2 if no line could be answered, 1 if one could not or has something rejected.
  [[nodiscard]] int finish() const;

 private:
  /// `first`: the rows of the first GPU that has any.
  void of_name(const AskedLine& asked, const NamedRows& named, const NamedRows& first);
  /// `more`: what people read below it.
  void print(const Sheet& sheet, const std::string& more = {});

  bool as_json_, show_;
  Style style_{Stream::Out};
  Json json_ = Json::array();
  std::size_t answered_ = 0, refused_ = 0;
  bool rejected_ = false, printed_ = false;
};

void AnswerPrinter::refused(const Inquiry& question, const OpcodeTable& opcodes) {
  Error error = error_in(question.asked, question.subject.error());
  error.text += where_else(question.asked.text, opcodes);
  ++refused_;
  // A line of a file has its answer where its place is among the others.
  if (!as_json_ && question.asked.number == 0) return static_cast<void>(complain(with_line(question.asked, error)));
  print(refused_sheet(question.asked, error));
}

void AnswerPrinter::recorded(const Inquiry& question) {
  const Subject* subject = question.subject ? &*question.subject : nullptr;
  const bool none = !question.machine.empty() && std::ranges::none_of(question.machine, &MachineAnswer::answered);
  ++(none ? refused_ : answered_);
  if (!question.nature.empty()) return print(nature_sheet(question.asked, question.nature));
  for (const RecordedAnswer& answer : question.recorded) {
    Sheet sheet = recorded_sheet(question.asked, answer, subject);
    const RecordedAnswer& first = question.recorded.front();
    add(sheet, not_compared({answer.from->table, *answer.row}, {first.from->table, *first.row}));
    print(sheet);
  }
  for (const NamedRows& named : question.named) of_name(question.asked, named, question.named.front());
  for (MachineAnswer answer : question.machine) {
    if (!answer.row) answer.row = std::unexpected(error_in(answer.asked, answer.row.error()));
    print(machine_sheet(answer));
  }
}

void AnswerPrinter::compiled(const Inquiry& question, const ArchAnswers& answers, const std::string& gpu) {
  const Subject& subject = *question.subject;
  bool verified = true, lacking = true;
  for (const auto& per_arch : answers) {
    const CompiledAnswer answer{subject, per_arch[question.to_compile], gpu};
    verified = verified && all_verified(answer.found);
    lacking = lacking && is_lacking(answer.found);
    print(compiled_sheet(question.asked, answer), show_ ? windows_text(answer.found, style_) : "");
  }
  ++answered_;
  if (!verified || lacking) rejected_ = true;
}

int AnswerPrinter::finish() const {
  if (as_json_) fmt::print("{}", pretty(json_));
  if (answered_ == 0) return 2;
  return rejected_ || refused_ > 0 ? 1 : 0;
}

void AnswerPrinter::of_name(const AskedLine& asked, const NamedRows& named, const NamedRows& first) {
  if (!as_json_ && named.rows.size() > 1) return print(named_sheet(asked, named, first));
  for (const Row* row : named.rows) {
    Sheet sheet = recorded_sheet(asked, {named.from, row, {}}, nullptr, named.others);
    if (const auto* other = find_by(first.from->table.rows, row->id, &Row::id))
      add(sheet, not_compared({named.from->table, *row}, {first.from->table, *other}));
    print(sheet);
  }
}

void AnswerPrinter::print(const Sheet& sheet, const std::string& more) {
  if (as_json_) return json_.push_back(to_json(sheet));
  if (std::exchange(printed_, true)) fmt::print("\n");
  fmt::print("{}{}", to_text(sheet, style_), more);
  // Errors go to another stream and come in the order of the lines.
  std::fflush(stdout);
}

struct CyclesOptions {
  std::vector<std::string> lines, files;
  std::vector<std::string> operands, values;
  std::string arch;
  bool show = false, json = false, no_gpu = false, no_throughput = false, sass = false;
  std::string cache_dir, nvdisasm;
  GpuChoice gpu;
};

/// Who answers: the GPU here, records of measured GPUs, or else the machine code for some architectures.
struct Answering {
  std::vector<Arch> archs;
  bool expected = false;  ///< a GPU of that architecture, whose worker starts while the first lines are compiled
  std::optional<Worker> worker;
  std::vector<RecordedTable> recorded;
};

/// Without --gpu and --arch: the GPU if there is one, else the measured ones, and for what they have no row the four
/// verified architectures. `expect`: the GPU is taken to be what NVML says.
Expected<Answering> who_answers(const CyclesOptions& options, bool expect) {
  Answering who;
  const bool compile_only = options.no_gpu || !options.arch.empty();
  if (!compile_only && options.gpu.gpu.empty()) {
    if (const auto arch = expect ? arch_of_all_gpus() : std::nullopt) {
      who.archs = {*arch};
      who.expected = true;
      return who;
    }
    auto worker = Worker::start();
    if (!worker && options.gpu.here) return std::unexpected(worker.error());
    if (worker) {
      const auto arch = WARPCLOCK_TRY(parse_arch(worker->device().arch));
      who.archs = {arch};
      who.worker.emplace(*std::move(worker));
      return who;
    }
  }
  if (!compile_only && !options.show) who.recorded = WARPCLOCK_TRY(recorded_tables(options.gpu));
  if (!options.gpu.gpu.empty()) {
    const auto arch = WARPCLOCK_TRY(parse_arch(who.recorded.front().table.device.arch));
    who.archs = {arch};
    return who;
  }
  who.archs = WARPCLOCK_TRY(named_archs(options.arch.empty() ? "all" : options.arch));
  return who;
}

struct Inquiries {
  std::vector<Inquiry> all;
  std::vector<Subject> subjects;
};

/// What a line of a machine instruction is as PTX.
std::unexpected<Error> no_ptx() { return fail("sass", "a machine instruction is composed and run; that takes a GPU"); }

Expected<Inquiries> read_inquiries(const CyclesOptions& options, const OpcodeTable& table, const Answering& who,
                                   RecordedMachines& machines) {
  const auto choices = WARPCLOCK_TRY(choices_of(options.operands, options.values));
  const bool plain = options.operands.empty() && options.values.empty();
  Inquiries questions;
  const auto take = [&](AskedLine asked, Expected<Subject> subject) -> Expected<void> {
    const bool on_gpu = asked.machine && (who.worker || who.expected);
    auto question =
        on_gpu ? Inquiry{std::move(asked), std::move(subject), {}, {}, {}, {}}
               : WARPCLOCK_TRY(inquiry_of(std::move(asked), std::move(subject), plain, who.recorded, table, machines));
    question.to_compile = questions.subjects.size();
    if (question.subject && !question.has_rows()) questions.subjects.push_back(*question.subject);
    questions.all.push_back(std::move(question));
    return {};
  };
  const auto lines = WARPCLOCK_TRY(lines_of(options.lines, options.sass ? Notation::Machine : Notation::Any));
  for (const AskedLine& line : lines)
    WARPCLOCK_TRY(take(line, line.machine ? no_ptx() : subject_of(line.code, table, choices)));
  for (const std::string& file : options.files) WARPCLOCK_TRY(take({file}, subject_in(file, table, choices)));
  if (questions.all.empty()) return fail("usage", "no instruction was given");
  return questions;
}

/// What ptxas says of an instruction that only other architectures have.
void mark_as_lacking(Row& row) {
  const std::string& text = row.reason.text;
  if (row.outcome != Outcome::Failed ||
      !(text.contains("requires .target sm_") || text.contains("not supported on .target")))
    return;
  row.outcome = Outcome::Skipped;
  row.reason.code = word(ErrorCode::UnsupportedArch);
}

/// Starts the worker of a GPU that was expected. Error also if it is another one.
Expected<Worker*> expected_worker(Answering& who) {
  auto worker = WARPCLOCK_TRY(Worker::start());
  const auto arch = WARPCLOCK_TRY(parse_arch(worker.device().arch));
  if (arch != who.archs.front()) return fail("gpu", "NVML says another architecture than CUDA");
  return &who.worker.emplace(std::move(worker));
}

MachineOptions quiet_machine(const CyclesOptions& options) {
  MachineOptions how{.nvdisasm = options.nvdisasm, .cache_dir = options.cache_dir};
  how.measuring.quiet = true;
  return how;
}

Expected<ArchAnswers> compiled_answers(const CyclesOptions& options, Answering& who,
                                       const std::vector<RecordedMachine>& machines,
                                       const std::vector<Subject>& subjects) {
  ArchAnswers answers;
  if (subjects.empty()) return answers;
  const auto nvdisasm = WARPCLOCK_TRY(find_nvdisasm(options.nvdisasm));
  for (const Arch& arch : who.archs) {
    InstructionOptions how;
    how.arch = arch;
    how.compile.build.cache_dir = options.cache_dir;
    how.compile.build.nvdisasm = nvdisasm;
    how.keep_code = options.show;
    how.progress = progress_on_terminal("instructions on " + to_string(arch));
    if (who.expected) how.worker = [&] { return expected_worker(who); };
    if (who.worker) how.worker = [&] { return &*who.worker; };
    std::optional<FormBench> bench;
    if (how.worker) {
      bench.emplace(quiet_machine(options), subjects.size());
      how.forms = [&](Worker& worker, const std::vector<WordForm>& forms) { return bench->rows_of(worker, forms); };
    }
    // If nothing is run, only the window of a throughput is of interest, which is all that can be shown for a store.
    if (options.no_throughput || (!how.worker && !options.show)) how.compile.throughput = false;
    if (!how.worker && !options.show) how.compile.answers = answered_by(machines, to_string(arch));
    how.compile.lone_throughput = !options.no_throughput;
    auto found = WARPCLOCK_TRY(measure_instructions(with_ways(subjects), how));
    for (MeasuredInstruction& one : found) mark_as_lacking(one.record);
    answers.push_back(with_answers(subjects, std::move(found)));
  }
  return answers;
}

/// Rows for lines that no row is spelled like: by the machine code that they became, or without a compiler the nearest.
/// Without either, the line is refused for want of a compiler.
Expected<void> find_rows(const CyclesOptions& options, const Answering& who, const Expected<ArchAnswers>& compiled,
                         const OpcodeTable& table, RecordedMachines& machines, Inquiries& questions) {
  const bool chosen = !options.operands.empty() || !options.values.empty();
  for (Inquiry& question : questions.all) {
    if (!question.subject || question.has_rows()) continue;
    const bool recorded = !who.recorded.empty() && !chosen;
    if (!compiled && recorded)
      question.recorded = recorded_answers(who.recorded, table, question.subject->ptx, Spelled::Operands);
    if (!compiled && !question.has_rows()) question.subject = std::unexpected(compiled.error());
    for (std::size_t i = 0; recorded && compiled && i < compiled->size(); ++i) {
      WARPCLOCK_TRY(find_rows_by_code(question, who.recorded, table, to_string(who.archs[i]),
                                      (*compiled)[i][question.to_compile].compiled, machines));
    }
  }
  return {};
}

/// Measures the machine instructions among the lines, if a GPU is here.
Expected<void> measure_lines(const CyclesOptions& options, Answering& who, RecordedMachines& machines,
                             Inquiries& questions) {
  std::vector<Inquiry*> asked;
  for (Inquiry& question : questions.all)
    if (question.asked.machine && !question.has_rows()) asked.push_back(&question);
  if (asked.empty() || (!who.worker && !who.expected)) return {};
  FormBench bench(quiet_machine(options), asked.size());
  const auto worker = [&] { return who.worker ? Expected<Worker*>(&*who.worker) : expected_worker(who); };
  return measure_forms(asked, forms_of(who.archs.front()), machines, bench, worker);
}

/// All that can answer, once: with the GPU that is expected here, or as `who` says.
Expected<ArchAnswers> look_for_answers(const CyclesOptions& options, Answering& who, const OpcodeTable& table,
                                       RecordedMachines& machines, Inquiries& questions) {
  static const std::vector<RecordedMachine> none;
  questions = WARPCLOCK_TRY(read_inquiries(options, table, who, machines));
  const bool by_record = !who.recorded.empty() && !questions.subjects.empty();
  const auto* rows = by_record ? WARPCLOCK_TRY(machines.all()) : &none;
  auto compiled = compiled_answers(options, who, *rows, questions.subjects);
  if (!compiled && who.expected && !who.worker) return compiled;
  WARPCLOCK_TRY(measure_lines(options, who, machines, questions));
  return compiled;
}

Expected<int> cycles(CyclesOptions options) {
  options.gpu = WARPCLOCK_TRY(with_device(std::move(options.gpu)));
  const auto table = WARPCLOCK_TRY(opcode_table());
  auto who = WARPCLOCK_TRY(who_answers(options, true));
  RecordedMachines machines(options.gpu);
  Inquiries questions;
  auto compiled = look_for_answers(options, who, table, machines, questions);
  if (!compiled && who.expected && !who.worker) {
    who = WARPCLOCK_TRY(who_answers(options, false));
    compiled = look_for_answers(options, who, table, machines, questions);
  }
  if (!compiled && questions.all.empty()) return std::unexpected(compiled.error());
  WARPCLOCK_TRY(find_rows(options, who, compiled, table, machines, questions));
  const bool none =
      std::ranges::all_of(questions.all, [](const Inquiry& one) { return !one.subject && !one.has_rows(); });
  if (!compiled && none) return std::unexpected(compiled.error());
  const std::string gpu = who.worker ? short_name(who.worker->device()) : "";
  AnswerPrinter printer(options.json, options.show);
  for (const Inquiry& question : questions.all) {
    if (question.has_rows()) {
      printer.recorded(question);
    } else if (question.subject) {
      printer.compiled(question, *compiled, gpu);
    } else {
      printer.refused(question, table);
    }
  }
  return printer.finish();
}

}  // namespace

void add_cycles(CLI::App& app, Action& action) {
  auto* command =
      app.add_subcommand("cycles",
                         "What an instruction, or a block of PTX, costs: latency from each operand, throughput, "
                         "and the machine code that PTX becomes");
  auto options = std::make_shared<CyclesOptions>();
  add_value(
      *command, "ptx", "PTX", options->lines,
      "Instructions, as \"fma.rn.f32 {d}, {a}, {b}, {c}\", or lines of a listing of PTX or of machine code, or of "
      "asm in CUDA C++; - reads them from standard input");
  add_value(*command, "--ptx-file", "FILE", options->files,
            "A file whose PTX statements are taken as one block, without labels and branches");
  add_value(*command, "--operand", "OPERAND=CHOICE", options->operands, "What an operand is: b=imm:3, a=f16x2");
  add_value(*command, "--value", "OPERAND=VALUE", options->values,
            "What an operand holds: " + join(value_names(), ", "));
  auto* arch = add_arch_option(*command, options->arch, "Architectures to compile for, or all; nothing is run then");
  auto* no_gpu = command->add_flag("--no-gpu", options->no_gpu, "Only what the machine code says");
  auto* gpu = options->gpu.add_options(*command)->excludes(arch)->excludes(no_gpu);
  command->add_flag("--no-throughput", options->no_throughput, "Only latencies");
  command->add_flag(
      "--sass", options->sass,
      "All lines are machine instructions, as \"IADD3 R8, R8, R9, R10\"; without it, those whose opcode is in upper "
      "case");
  command->add_flag("--show", options->show, "Print each window: SASS, stall counts, scoreboards")->excludes(gpu);
  command->add_flag("--json", options->json, "Machine-readable");
  add_build_options(*command, options->cache_dir, options->nvdisasm);
  command->footer(
      "Without a GPU here, or with --gpu, rows of reports answer; what they have no row for is compiled and its "
      "encoded\n"
      "cycles are printed. Examples:\n"
      "  warpclock cycles \"fma.rn.f32 {d}, {a}, {b}, {c}\"\n"
      "  warpclock cycles ldmatrix.x4 --gpu h200\n"
      "  warpclock cycles \"@P0 LDG.E.128 R4, desc[UR4][R2.64+0x10]\" --gpu h100");
  command->callback([options, &action] { action = [options] { return cycles(*options); }; });
}

}  // namespace warpclock
