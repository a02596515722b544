#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/text.hpp"
#include "cli/answers/answer_printer.hpp"
#include "cli/answers/answers.hpp"
#include "cli/answers/inquiry.hpp"
#include "cli/answers/machine_query.hpp"
#include "cli/command.hpp"
#include "cli/instructions/form_bench.hpp"
#include "cli/instructions/machine_command.hpp"
#include "cli/instructions/machine_lines.hpp"
#include "cli/options/options.hpp"
#include "cli/subjects.hpp"
#include "code/nvdisasm.hpp"
#include "fields/form_table.hpp"
#include "gpu/device/nvml.hpp"
#include "measure/block_ways.hpp"
#include "measure/inputs.hpp"
#include "measure/measure_instructions.hpp"
#include "record/outcome.hpp"

namespace warpclock {
namespace {

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
void mark_as_lacking(InstructionRecord& row) {
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
