#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>

#include "base/terminal.hpp"
#include "base/text.hpp"
#include "cli/command.hpp"
#include "cli/machine_command.hpp"
#include "cli/subjects.hpp"
#include "code/nvdisasm.hpp"
#include "measure/block_ways.hpp"
#include "measure/inputs.hpp"
#include "measure/measure_instructions.hpp"
#include "record/outcome.hpp"
#include "report/instructions/instruction_cells.hpp"
#include "verify/show.hpp"

namespace warpclock {
namespace {

struct CyclesOptions {
  std::vector<std::string> lines, files;
  std::vector<std::string> operands, values;
  std::string arch;
  bool show = false, json = false, no_gpu = false, no_throughput = false, sass = false;
  std::string cache_dir, nvdisasm;
};

std::string shortened(const std::vector<std::string>& opcodes) {
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < opcodes.size();) {
    std::size_t same = 1;
    while (i + same < opcodes.size() && opcodes[i + same] == opcodes[i]) ++same;
    parts.push_back(same == 1 ? opcodes[i] : fmt::format("{} x {}", same, opcodes[i]));
    i += same;
  }
  constexpr std::size_t most = 12;
  const std::size_t left = parts.size() > most ? parts.size() - most : 0;
  parts.resize(parts.size() - left);
  return join(parts, "  ") + (left ? fmt::format("  ... {} more", left) : "");
}

std::string interval(const Estimate& estimate) {
  return estimate.high - estimate.low < 0.05 ? "" : fmt::format("  [{:.2f}, {:.2f}]", estimate.low, estimate.high);
}

/// "4.00  (encoded 4)" for each trial; if nothing ran on the architecture, only the encoded distance.
void print_runs(const MeasuredInstruction& found, const Style& style) {
  const InstructionRecord& row = found.record;
  for (std::size_t i = 0; i < row.runs.size(); ++i) {
    const InstructionRun& run = row.runs[i];
    const bool iteration = run.measure.starts_with("iteration");
    const bool latency = iteration || run.measure.starts_with("latency");
    if (!latency && (row.outcome != Outcome::Skipped || !run.verified())) continue;
    double links = 0;
    for (const auto& [opcode, cycles] : run.via) links += cycles;
    const std::string encoded = run.encoded_cycles ? fmt::format("encoded {:.4g}", *run.encoded_cycles - links)
                                : latency          ? found.compiled.trials[i].verdict.unencoded
                                                   : std::string("verified; it takes a GPU to time it");
    const Estimate* estimate = published(row, run.measure);
    std::string note = run.trick.empty() ? "" : ", " + run.trick;
    for (const auto& [opcode, cycles] : run.via) note += fmt::format(", less {:g} for {}", cycles, opcode);
    if (!run.note.empty()) note += ", " + run.note;
    if (iteration) note += ", a pass of the whole block, behind which the next waits for this register";
    if (!run.verified()) {
      fmt::print("    {:<16} {} {}\n", run.measure, style.red(run.verdict), run.text);
    } else if (estimate) {
      fmt::print("    {:<16} {} cycles{}  {}\n", run.measure, style.bold(fmt::format("{:.2f}", estimate->value)),
                 interval(*estimate), style.dim("(" + encoded + note + ")"));
    } else {
      fmt::print("    {:<16} {}\n", run.measure, style.dim(encoded + note));
    }
  }
}

void print_rates(const InstructionRecord& row, bool block, const Style& style) {
  const Estimate* rate = published(row, "throughput");
  if (!rate) return;
  fmt::print("    {:<16} {} {}/clk/SM{}  {}\n", "throughput", style.bold(fmt::format("{:.1f}", rate->value)),
             block ? "threads' blocks" : "results", interval(*rate), style.dim(rate->note));
  if (const Estimate* interval = published(row, "interval")) {
    fmt::print("    {:<16} {:.2f} cycles a warp instruction and scheduler\n", "interval", interval->value);
  }
  if (const Estimate* issue = published(row, "issue")) {
    fmt::print("    {:<16} {:.2f} cycles between independent instructions of one warp\n", "issue", issue->value);
  }
}

void print_answer(const MeasuredInstruction& found, const PtxInstruction& instruction, bool show, const Style& style) {
  const InstructionRecord& row = found.record;
  fmt::print("  {}  {}", style.bold(row.arch), shortened(row.became));
  if (!row.labels.empty()) fmt::print("  {}", style.yellow("(" + join(row.labels, "; ") + ")"));
  fmt::print("\n");
  const bool unmeasured = row.outcome == Outcome::Skipped && row.reason.code == ErrorCode::NotRun;
  if (row.outcome != Outcome::Measured && !unmeasured) {
    fmt::print("    {} {}\n", style.red(row.reason.code), row.reason.text);
  }
  print_runs(found, style);
  print_rates(row, instruction.is_block(), style);
  if (!row.pipes.empty()) fmt::print("    {:<16} {}\n", "pipe", join(row.pipes, ", "));
  if (row.clock.sm_mhz > 0) fmt::print("    {:<16} {:.0f} MHz\n", "SM clock", row.clock.sm_mhz);
  for (const std::string& finding : row.findings) fmt::print("    {} {}\n", style.yellow("finding"), finding);
  if (!show) return;
  for (std::size_t i = 0; i < row.runs.size(); ++i) {
    const Trial& trial = found.compiled.trials[i];
    if (trial.verdict.verdicts.empty()) continue;
    fmt::print(
        "\n  {} {}  {}\n", style.bold(row.runs[i].measure), row.arch,
        trial.verdict.verified() ? style.green("verified") : style.red(trial.verdict.code + ": " + trial.verdict.text));
    fmt::print("{}", show_window(trial.shown, trial.verdict.verdicts[trial.which]));
  }
}

std::string on_one_line(std::string_view text) {
  std::string line(text);
  std::ranges::replace_if(
      line, [](unsigned char c) { return c < ' ' || c == 0x7f; }, ' ');
  return line;
}

/// The line, its original form if that differs from the canonical one, and operands that were replaced by a constant.
void print_asked(const Subject& subject, const Style& style) {
  fmt::print("{}\n", style.bold(subject.ptx));
  if (!subject.instruction.is_block() && trim(subject.line) != subject.ptx) {
    fmt::print("  {}\n", style.dim("asked as " + on_one_line(trim(subject.line))));
  }
  for (const MadeConstant& one : subject.constants) {
    fmt::print("  {}\n", style.dim(fmt::format("{} became the constant {}", one.given, one.constant)));
  }
}

nlohmann::ordered_json json_of(const Subject& subject, const MeasuredInstruction& found) {
  const InstructionRecord& row = found.record;
  nlohmann::ordered_json out = {
      {"ptx", row.ptx},       {"line", subject.line}, {"arch", row.arch},  {"outcome", word(row.outcome)},
      {"became", row.became}, {"labels", row.labels}, {"pipes", row.pipes}};
  for (const MadeConstant& one : subject.constants) {
    out["constants"].push_back({{"given", one.given}, {"constant", one.constant}});
  }
  if (row.outcome != Outcome::Measured) out["reason"] = {{"code", row.reason.code}, {"text", row.reason.text}};
  out["runs"] = nlohmann::ordered_json::array();
  for (std::size_t i = 0; i < row.runs.size(); ++i) {
    const InstructionRun& run = row.runs[i];
    const std::string& unencoded = found.compiled.trials[i].verdict.unencoded;
    nlohmann::ordered_json one = {{"measure", run.measure}, {"verdict", run.verdict}};
    if (!run.text.empty()) one["text"] = run.text;
    if (!run.note.empty()) one["note"] = run.note;
    if (!run.trick.empty()) one["trick"] = run.trick;
    if (run.encoded_cycles) one["encoded_cycles"] = *run.encoded_cycles;
    if (!unencoded.empty()) one["not_encoded"] = unencoded;
    for (const auto& [opcode, cycles] : run.via) one["via"].push_back({{"opcode", opcode}, {"cycles", cycles}});
    one["sass_hash"] = run.sass_hash;
    out["runs"].push_back(std::move(one));
  }
  out["estimates"] = nlohmann::ordered_json::array();
  for (const Estimate& e : row.estimates) {
    out["estimates"].push_back({{"name", e.name},
                                {"value", e.value},
                                {"low", e.low},
                                {"high", e.high},
                                {"unit", e.unit},
                                {"method", e.method},
                                {"n", e.n},
                                {"note", e.note}});
  }
  out["findings"] = row.findings;
  if (row.clock.sm_mhz > 0) out["sm_mhz"] = row.clock.sm_mhz;
  return out;
}

struct Asked {
  std::vector<Arch> archs;
  std::optional<Worker> worker;
};

/// Without --arch: the architecture of the GPU if there is one, else the four verified ones.
Expected<Asked> whom_to_ask(const CyclesOptions& options) {
  Asked asked;
  if (!options.no_gpu && options.arch.empty()) {
    if (auto worker = Worker::start()) {
      auto arch = WARPCLOCK_TRY(parse_arch(worker->device().arch));
      asked.archs = {arch};
      asked.worker.emplace(*std::move(worker));
      return asked;
    }
  }
  asked.archs = WARPCLOCK_TRY(parse_archs(options.arch.empty() ? "all" : options.arch));
  return asked;
}

Expected<int> cycles(const CyclesOptions& options) {
  if (options.sass) return machine_cycles({.lines = options.lines, .nvdisasm = options.nvdisasm});
  const auto choices = WARPCLOCK_TRY(choices_of(options.operands, options.values));
  auto table = WARPCLOCK_TRY(opcode_table());

  int status = 0;
  std::vector<Subject> subjects;
  const auto take = [&](Expected<Subject> subject) {
    if (subject) {
      subjects.push_back(*std::move(subject));
    } else {
      status = complain(subject.error());
    }
  };
  for (const std::string& line : lines_of(options.lines)) take(subject_of(line, table, choices));
  for (const std::string& file : options.files) take(subject_in(file, table, choices));
  if (subjects.empty() && status == 0) return fail("usage", "no instruction was given");
  if (subjects.empty()) return status;
  auto asked = WARPCLOCK_TRY(whom_to_ask(options));
  auto nvdisasm = WARPCLOCK_TRY(find_nvdisasm(options.nvdisasm));

  std::vector<std::vector<MeasuredInstruction>> answers;
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

  const Style style(Stream::Out);
  nlohmann::ordered_json json = nlohmann::ordered_json::array();
  for (std::size_t i = 0; i < subjects.size(); ++i) {
    if (!options.json && i > 0) fmt::print("\n");
    if (!options.json) print_asked(subjects[i], style);
    for (const auto& per_arch : answers) {
      const InstructionRecord& row = per_arch[i].record;
      const bool unmeasured = row.outcome == Outcome::Skipped;
      if (row.outcome != Outcome::Measured && !unmeasured && status == 0) status = 1;
      if (options.json) {
        json.push_back(json_of(subjects[i], per_arch[i]));
      } else {
        print_answer(per_arch[i], subjects[i].instruction, options.show, style);
      }
    }
  }
  if (options.json) fmt::print("{}\n", json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace));
  if (!options.json && !asked.worker) {
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
  command->add_option("--arch", options->arch,
                      "Architectures to compile for, comma-separated, or all; nothing is run then");
  command->add_flag("--no-gpu", options->no_gpu, "Only what the machine code says");
  command->add_flag("--no-throughput", options->no_throughput, "Only latencies");
  command->add_flag(
      "--sass", options->sass,
      "The instructions are machine instructions, as \"IADD3 R8, R8, R9, R10\"; their registers are chosen "
      "here");
  command->add_flag("--show", options->show, "Print each window: SASS, stall counts, scoreboards");
  command->add_flag("--json", options->json, "Machine-readable");
  command->add_option("--cache", options->cache_dir, "Folder for compiled code")->type_name("DIR");
  command->add_option("--nvdisasm", options->nvdisasm, "The disassembler to use")->type_name("PATH");
  command->callback([options, &action] { action = [options] { return cycles(*options); }; });
}

}  // namespace warpclock
