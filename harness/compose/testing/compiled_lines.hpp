#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/lookup.hpp"
#include "base/text.hpp"
#include "compile/testing/probes.hpp"
#include "compose/copies/compile_instruction.hpp"
#include "ptx/experiment/ways.hpp"
#include "ptx/testing/described.hpp"
#include "verify/testing/windows.hpp"

namespace warpclock::testing {

/// An instruction and its study.
struct CompiledLine {
  std::string line;
  PtxInstruction instruction;
  CompiledInstruction compiled;
};

/// Studies all lines in one batch. `answers` as in CompileInstructionOptions.
inline std::vector<CompiledLine> compile_lines(const std::vector<std::string>& lines, const std::string& arch_name,
                                               bool throughput, std::function<bool(const WordForm&)> answers = {}) {
  static const TemporaryFolder cache;
  auto all = mapped(lines, [&](const std::string& line) { return CompiledLine{line, instruction_of(line), {}}; });
  std::vector<const PtxInstruction*> instructions;
  for (const CompiledLine& one : all) instructions.push_back(&one.instruction);
  CompileInstructionOptions options;
  options.build.cache_dir = cache.path();
  options.throughput = throughput;
  options.answers = std::move(answers);
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

/// "FLO.U32 IADD3 (2 instructions); latency.a verified; throughput.ilp4 folded": with how its copies came about, the
/// encoded cycles of the chain without its links, the part of them that the hardware adds, the links and the note.
inline std::string answer_of(const CompiledLine& one) {
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
    if (trial.experiment.composed) text += ", composed";
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
  for (const std::string& line : lines(read_committed("harness/compose/testdata/" + file))) {
    if (line.starts_with("  ") && !rows.empty()) rows.back().answer = line.substr(2);
    if (!line.empty() && line[0] != '#' && line[0] != ' ') rows.push_back({line, ""});
  }
  return rows;
}

inline bool accepting() { return std::getenv("WARPCLOCK_ACCEPT") != nullptr; }

inline void accept(const std::string& file, const std::map<std::string, std::string>& answers) {
  const std::string path = "harness/compose/testdata/" + file;
  std::string text;
  for (const std::string& line : lines(read_committed(path))) {
    if (line.starts_with("  ")) continue;
    text += line + "\n";
    if (const auto answer = answers.find(line); answer != answers.end()) text += "  " + answer->second + "\n";
  }
  write(std::string(WARPCLOCK_SOURCE_DIR) + "/" + path, text);
}

}  // namespace warpclock::testing
