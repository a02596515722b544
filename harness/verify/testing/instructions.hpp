#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/text.hpp"
#include "compile/generated.hpp"
#include "compile/testing/probes.hpp"
#include "ptx/experiment/block.hpp"
#include "ptx/experiment/ways.hpp"
#include "ptx/testing/described.hpp"
#include "verify/instruction/compile_instruction.hpp"

namespace warpclock::testing {

/// An instruction and its study.
struct CompiledLine {
  std::string line;
  PtxInstruction instruction;
  CompiledInstruction compiled;
};

/// Reads "mul.lo.s32 {d}, {a}, {b} | b=imm:8, c=imm:1", or a block: statements that end with semicolons.
inline PtxInstruction instruction_of(const std::string& line) {
  if (line.ends_with(';')) {
    const auto snippet = parse_snippet(line);
    auto block = snippet ? describe_block(*snippet, testing_table()) : std::unexpected(snippet.error());
    if (!block) ADD_FAILURE() << line << ": " << block.error().message();
    return block ? *std::move(block) : PtxInstruction{};
  }
  const std::size_t bar = line.find(" | ");
  Choices choices;
  if (bar != std::string::npos) {
    for (const std::string& one : split(line.substr(bar + 3), ',')) {
      const std::string choice(trim(one));
      const std::size_t equals = choice.find('=');
      choices.operands[choice.substr(0, equals)] = choice.substr(equals + 1);
    }
  }
  auto found = described(line.substr(0, bar), choices);
  if (!found) ADD_FAILURE() << line << ": " << found.error().message();
  return found ? *std::move(found) : PtxInstruction{};
}

/// Studies all lines in one batch.
inline std::vector<CompiledLine> compile_lines(const std::vector<std::string>& lines, const std::string& arch_name,
                                               bool throughput) {
  static const TemporaryFolder cache;
  std::vector<CompiledLine> all;
  for (const std::string& line : lines) all.push_back({line, instruction_of(line), {}});
  std::vector<const PtxInstruction*> instructions;
  for (const CompiledLine& one : all) instructions.push_back(&one.instruction);
  CompileInstructionOptions options;
  options.build.cache_dir = cache.path();
  options.throughput = throughput;
  auto compiled = compile_instructions(instructions, arch(arch_name), options);
  for (std::size_t i = 0; i < all.size(); ++i) all[i].compiled = std::move(compiled[i]);
  return all;
}

/// Studies blocks in one batch. Each block is followed by the paths through it.
inline std::vector<std::vector<CompiledLine>> compile_blocks(const std::vector<std::string>& texts,
                                                             const std::string& arch_name) {
  static const TemporaryFolder cache;
  std::vector<std::vector<CompiledLine>> all;
  for (const std::string& text : texts) {
    auto& block = all.emplace_back();
    block.push_back({text, instruction_of(text), {}});
    for (const Way& way : ways_of(parse_snippet(text).value(), testing_table())) {
      if (way.instruction) block.push_back({way.name, *way.instruction, {}});
    }
  }
  std::vector<const PtxInstruction*> instructions;
  for (const auto& block : all) {
    for (const CompiledLine& one : block) instructions.push_back(&one.instruction);
  }
  CompileInstructionOptions options;
  options.build.cache_dir = cache.path();
  auto compiled = compile_instructions(instructions, arch(arch_name), options);
  auto next = compiled.begin();
  for (auto& block : all) {
    for (CompiledLine& one : block) one.compiled = std::move(*next++);
  }
  return all;
}

/// The windows of one experiment, compiled as compile_instructions() does, and the expansion of one instance.
struct Windows {
  PtxInstruction instruction;
  Experiment experiment;
  Expansion expansion;
  std::vector<Kernel> kernels;

  [[nodiscard]] InstructionVerdict verdict() const {
    return verify_instruction(kernels, instruction, experiment, expansion);
  }
};

inline std::vector<Windows> windows_of(const std::vector<std::pair<std::string, Experiment>>& asked,
                                       const std::string& arch_name = "sm_90a") {
  static const TemporaryFolder cache;
  std::vector<Windows> all;
  std::vector<Case> cases;
  Sources sources;
  for (const auto& [line, experiment] : asked) {
    all.push_back({instruction_of(line), experiment, {}, {}});
    for (const bool isolated : {true, false}) {
      const std::vector<std::int64_t> repeats =
          isolated ? std::vector<std::int64_t>{1} : std::vector<std::int64_t>{6, 12, 24};
      const Experiment asked_of = isolated ? Experiment{} : experiment;
      cases.push_back(make_case(generate(all.back().instruction, asked_of, repeats, sources), arch_name, repeats));
    }
  }
  BuildOptions options;
  options.cache_dir = cache.path();
  auto builds = build(cases, sources, options);
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (!builds[2 * i] || !builds[2 * i + 1]) {
      ADD_FAILURE() << asked[i].first << " does not compile";
      continue;
    }
    auto expansion = expansion_of(builds[2 * i]->kernels.front().listing, all[i].instruction);
    if (expansion) all[i].expansion = *std::move(expansion);
    all[i].kernels = std::move(builds[2 * i + 1]->kernels);
  }
  return all;
}

/// "FLO.U32 IADD3 (2 instructions); latency.a verified; throughput.ilp4 folded": with the trick, the encoded cycles of
/// the chain without its links, the part of them that the hardware adds, the links and the note.
inline std::string told(const CompiledLine& one) {
  if (one.compiled.problem) return one.compiled.problem->code;
  constexpr std::size_t most = 6;
  const auto& opcodes = one.compiled.expansion.opcodes;
  std::vector<std::string> shown(opcodes.begin(),
                                 opcodes.begin() + std::min<std::ptrdiff_t>(most, std::ssize(opcodes)));
  if (opcodes.size() > most) shown.emplace_back("...");
  std::string text = join(shown, " ");
  if (!one.compiled.expansion.labels.empty()) text += " (" + join(one.compiled.expansion.labels, ", ") + ")";
  for (const Trial& trial : one.compiled.trials) {
    const InstructionVerdict& found = trial.verdict;
    text += fmt::format("; {} {}", trial.experiment.name(one.instruction), found.code);
    if (!found.verified()) continue;
    if (trial.experiment.trick != Trick::None) text += fmt::format(", {}", name(trial.experiment.trick));
    double links = 0;
    for (const auto& [opcode, cycles] : found.via) links += cycles;
    if (found.encoded_cycles) text += fmt::format(", {:.3g}", *found.encoded_cycles - links);
    if (found.waited_cycles > 0) text += fmt::format(" with {:.3g} waited", found.waited_cycles);
    for (const auto& [opcode, cycles] : found.via) text += fmt::format(", less {:.3g} for {}", cycles, opcode);
    if (!found.note.empty()) text += ", " + found.note;
  }
  return text;
}

/// Rows of testdata/<file>, each with its answer on the indented lines below it; WARPCLOCK_ACCEPT=1 writes the answers.
struct Row {
  std::string line, answer;
};

inline std::vector<Row> rows_of(const std::string& file) {
  std::vector<Row> rows;
  for (const std::string& line : lines(read_committed("harness/verify/testdata/" + file))) {
    if (line.starts_with("  ") && !rows.empty()) rows.back().answer = line.substr(2);
    if (!line.empty() && line[0] != '#' && line[0] != ' ') rows.push_back({line, ""});
  }
  return rows;
}

inline bool accepting() { return std::getenv("WARPCLOCK_ACCEPT") != nullptr; }

inline void accept(const std::string& file, const std::map<std::string, std::string>& answers) {
  const std::string path = "harness/verify/testdata/" + file;
  std::string text;
  for (const std::string& line : lines(read_committed(path))) {
    if (line.starts_with("  ")) continue;
    text += line + "\n";
    if (const auto answer = answers.find(line); answer != answers.end()) text += "  " + answer->second + "\n";
  }
  write(std::string(WARPCLOCK_SOURCE_DIR) + "/" + path, text);
}

}  // namespace warpclock::testing
