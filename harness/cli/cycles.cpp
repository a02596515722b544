#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/terminal.hpp"
#include "base/text.hpp"
#include "cli/answers/cycles_answer.hpp"
#include "cli/answers/recorded_answer.hpp"
#include "cli/command.hpp"
#include "cli/machine_command.hpp"
#include "cli/options/arch_choice.hpp"
#include "cli/subjects.hpp"
#include "code/nvdisasm.hpp"
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
struct Asked {
  std::vector<Arch> archs;
  std::optional<Worker> worker;
  std::vector<RecordedTable> recorded;
};

/// Without --gpu and --arch: the GPU if there is one, else the measured ones, and for what they have no row the four
/// verified architectures.
Expected<Asked> whom_to_ask(const CyclesOptions& options) {
  Asked asked;
  const bool compile_only = options.no_gpu || !options.arch.empty();
  if (!compile_only && options.gpu.gpu.empty()) {
    if (auto worker = Worker::start()) {
      auto arch = WARPCLOCK_TRY(parse_arch(worker->device().arch));
      asked.archs = {arch};
      asked.worker.emplace(*std::move(worker));
      return asked;
    }
  }
  if (!compile_only && !options.show) asked.recorded = WARPCLOCK_TRY(recorded_tables(options.gpu));
  if (!options.gpu.gpu.empty()) {
    const auto arch = WARPCLOCK_TRY(parse_arch(asked.recorded.front().table.device.arch));
    asked.archs = {arch};
    return asked;
  }
  asked.archs = WARPCLOCK_TRY(named_archs(options.arch.empty() ? "all" : options.arch));
  return asked;
}

/// A question with its recorded answers, or with the place of its subject among those to compile.
struct Question {
  std::string asked;
  std::vector<RecordedAnswer> recorded;
  std::size_t subject = 0;
};

struct Questions {
  std::vector<Question> all;
  std::vector<Subject> subjects;
  int status = 0;
};

Expected<Questions> read_questions(const CyclesOptions& options, const std::vector<RecordedTable>& recorded) {
  const auto choices = WARPCLOCK_TRY(choices_of(options.operands, options.values));
  const auto table = WARPCLOCK_TRY(opcode_table());
  const bool plain = options.operands.empty() && options.values.empty();
  Questions questions;
  const auto take = [&](Expected<Subject> subject, const std::string& name) {
    Question question{name, {}, questions.subjects.size()};
    if (!subject && plain) question.recorded = recorded_by_name(recorded, name);
    if (subject && plain && subject->constants.empty()) {
      question.asked = subject->id;
      question.recorded = recorded_answers(recorded, subject->ptx);
    }
    if (!subject && question.recorded.empty()) {
      questions.status = complain(subject.error());
      return;
    }
    if (question.recorded.empty()) questions.subjects.push_back(*std::move(subject));
    questions.all.push_back(std::move(question));
  };
  for (const std::string& line : lines_of(options.lines))
    take(subject_of(line, table, choices), std::string(trim(line)));
  for (const std::string& file : options.files) take(subject_in(file, table, choices), "");
  if (questions.all.empty() && questions.status == 0) return fail("usage", "no instruction was given");
  return questions;
}

Expected<std::vector<std::vector<MeasuredInstruction>>> compiled_answers(const CyclesOptions& options, Asked& asked,
                                                                         const std::vector<Subject>& subjects) {
  std::vector<std::vector<MeasuredInstruction>> answers;
  if (subjects.empty()) return answers;
  const auto nvdisasm = WARPCLOCK_TRY(find_nvdisasm(options.nvdisasm));
  for (const Arch& arch : asked.archs) {
    InstructionOptions how;
    how.arch = arch;
    how.compile.build.cache_dir = options.cache_dir;
    how.compile.build.nvdisasm = nvdisasm;
    how.keep_code = options.show;
    how.worker = asked.worker ? &*asked.worker : nullptr;
    // If nothing is run, only the window of a throughput is of interest, which is all that can be shown for a store.
    if (options.no_throughput || (!how.worker && !options.show)) how.compile.throughput = false;
    how.compile.lone_throughput = !options.no_throughput;
    auto found = WARPCLOCK_TRY(measure_instructions(with_ways(subjects), how));
    answers.push_back(with_answers(subjects, std::move(found)));
  }
  return answers;
}

Expected<int> cycles(const CyclesOptions& options) {
  if (options.sass) return machine_cycles({.lines = options.lines, .nvdisasm = options.nvdisasm, .gpu = options.gpu});
  auto asked = WARPCLOCK_TRY(whom_to_ask(options));
  const auto questions = WARPCLOCK_TRY(read_questions(options, asked.recorded));
  int status = questions.status;
  if (questions.all.empty()) return status;
  const auto answers = WARPCLOCK_TRY(compiled_answers(options, asked, questions.subjects));

  const Style style(Stream::Out);
  nlohmann::ordered_json json = nlohmann::ordered_json::array();
  for (const Question& question : questions.all) {
    if (!options.json && &question != questions.all.data()) fmt::print("\n");
    for (const RecordedAnswer& answer : question.recorded) {
      if (options.json) json.push_back(recorded_json(question.asked, answer));
      if (!options.json) fmt::print("{}", recorded_text(question.asked, answer, style));
    }
    if (!question.recorded.empty()) continue;
    const Subject& subject = questions.subjects[question.subject];
    if (!options.json) print_asked(subject, style);
    for (const auto& per_arch : answers) {
      const MeasuredInstruction& answer = per_arch[question.subject];
      const Outcome outcome = answer.record.outcome;
      if (outcome != Outcome::Measured && outcome != Outcome::Skipped && status == 0) status = 1;
      if (options.json) json.push_back(json_of(subject, answer));
      if (!options.json) print_answer(answer, subject.instruction, options.show, style);
    }
  }
  if (options.json) fmt::print("{}\n", json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace));
  if (!options.json && !asked.worker && !questions.subjects.empty()) {
    fmt::print("{}\n",
               style.dim("Nothing was run: these are encoded dependency distances, from the machine code alone."));
  }
  return status;
}

}  // namespace

void add_cycles(CLI::App& app, Action& action) {
  auto* command = app.add_subcommand("cycles",
                                     "What a PTX instruction, or a block of them, costs: latency from each operand, "
                                     "throughput, and the machine code it "
                                     "becomes");
  auto options = std::make_shared<CyclesOptions>();
  command
      ->add_option(
          "ptx", options->lines,
          "Instructions, as \"fma.rn.f32 {d}, {a}, {b}, {c}\" or as in a PTX listing; - reads them from standard input")
      ->type_name("PTX");
  command
      ->add_option("--ptx-file", options->files,
                   "A file whose PTX statements are taken as one block, without labels and branches")
      ->type_name("FILE");
  command->add_option("--operand", options->operands, "What an operand is: b=imm:3, a=f16x2")
      ->type_name("OPERAND=CHOICE");
  command->add_option("--value", options->values, "What an operand holds: " + join(value_names(), ", "))
      ->type_name("OPERAND=VALUE");
  auto* arch =
      add_arch_option(*command, options->arch, "Architectures to compile for, or all; nothing is run then");
  auto* no_gpu = command->add_flag("--no-gpu", options->no_gpu, "Only what the machine code says");
  auto* gpu = options->gpu.add_options(*command)->excludes(arch)->excludes(no_gpu);
  command->add_flag("--no-throughput", options->no_throughput, "Only latencies");
  command->add_flag(
      "--sass", options->sass,
      "The instructions are machine instructions, as \"IADD3 R8, R8, R9, R10\"; their registers are chosen "
      "here");
  command->add_flag("--show", options->show, "Print each window: SASS, stall counts, scoreboards")->excludes(gpu);
  command->add_flag("--json", options->json, "Machine-readable");
  command->add_option("--cache", options->cache_dir, "Folder for compiled code")->type_name("DIR");
  command->add_option("--nvdisasm", options->nvdisasm, "The disassembler to use")->type_name("PATH");
  command->footer(
      "Without a GPU here, or with --gpu, rows of reports answer; what they have no row for is compiled and its "
      "encoded\n"
      "cycles are printed. Examples:\n"
      "  warpclock cycles \"fma.rn.f32 {d}, {a}, {b}, {c}\"\n"
      "  warpclock cycles ldmatrix.x4 --gpu h200");
  command->callback([options, &action] { action = [options] { return cycles(*options); }; });
}

}  // namespace warpclock
