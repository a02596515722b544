#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/files/embedded.hpp"
#include "base/testing/matchers.hpp"
#include "code/listing.hpp"
#include "code/semantics.hpp"
#include "compile/build.hpp"
#include "compile/sources.hpp"
#include "fields/form_table.hpp"
#include "fields/testing/write_forms.hpp"
#include "plan/sweep.hpp"
#include "ptx/catalogue/catalogue.hpp"

namespace warpclock::testing {

/// Whether it refers to a place in its own kernel, which differs from kernel to kernel.
inline bool names_a_place(const Instruction& instruction) {
  return is_jump(instruction) || instruction.branch_target || instruction.text.find("`(") != std::string::npos;
}

inline std::string key_of(const Instruction& instruction) {
  return warpclock::key_of(skeleton_of("@PT " + instruction.text));
}

/// Whether the compiler leaves the copies of a throughput where they are: something reads what they compute.
inline bool leaves_copies(const PtxInstruction& instruction, const Experiment& experiment) {
  if (!experiment.links.empty()) return true;
  // The first of two equal stores is dead code.
  const bool results = std::ranges::any_of(instruction.operands, [](const Operand& operand) {
    return operand.written && operand.immediate.empty() && !operand.address;
  });
  return (!results && instruction.kind != "store") || instruction.guarded;
}

/// Adds the kernels of a catalogue instruction: one instance, its chains, and copies that the compiler would keep.
inline void add_cases(const PtxInstruction& instruction, const Arch& arch, std::vector<Case>& cases, Sources& sources) {
  const auto add = [&](const Experiment& experiment, const std::vector<std::int64_t>& repeats) {
    Case& one = cases.emplace_back();
    one.kernel = one.id = generate(instruction, experiment, repeats, sources);
    one.arch = arch;
    one.repeats = repeats;
  };
  add({}, {1});
  for (const Experiment& experiment : latency_experiments(instruction)) add(experiment, {3});
  const Experiment throughput = throughput_experiment(instruction, 1);
  if (leaves_copies(instruction, throughput) && !makes_constant(instruction)) add(throughput, {3});
}

/// The words of instructions with one key, those that occur in most kernels first, and WordForm::encoded.
struct CatalogueForm {
  std::vector<Word> words;
  std::optional<int> encoded;
};

/// Whether it reads its operands some time after it issued, because it goes through a queue, as memory accesses do.
inline bool reads_late(const Instruction& instruction) {
  const bool queued = instruction.control.write_barrier >= 0 || instruction.control.read_barrier >= 0;
  return queued || instruction.opcode.starts_with("ST") || instruction.opcode.starts_with("RED");
}

/// Cycles from an instruction to the first later one that reads its result. Nothing if a scoreboard signals the result,
/// if no instruction before a jump reads it, or if the one that does reads late.
inline std::optional<int> encoded_distance(const std::vector<Instruction>& code, std::size_t at) {
  if (code[at].control.write_barrier >= 0 || variable_latency(code[at])) return std::nullopt;
  const Effects effects = effects_of(code[at]);
  int cycles = 0;
  for (std::size_t i = at; i + 1 < code.size() && !is_jump(code[i]); ++i) {
    cycles += static_cast<int>(code[i].control.stall);
    const Effects next = effects_of(code[i + 1]);
    const auto is_read = [&](const Register& written) { return next.reads(written); };
    if (std::ranges::any_of(effects.writes, is_read)) {
      const bool counts = !reads_late(code[i + 1]) && cycles <= most_encoded;
      return counts ? std::optional(cycles) : std::nullopt;
    }
    const auto is_overwritten = [&](const Register& written) { return next.writes_to(written); };
    if (std::ranges::any_of(effects.writes, is_overwritten)) return std::nullopt;
  }
  return std::nullopt;
}

/// The machine code of the catalogue's kernels, inside and outside their windows, by the keys of its forms.
inline std::map<std::string, CatalogueForm> catalogue_forms(const Arch& arch) {
  const Catalogue catalogue = must(load_catalogue(embedded_configs()));
  std::vector<Case> cases;
  Sources sources;
  for (const CatalogueEntry& entry : catalogue.entries) {
    if (has(arch, entry.needs)) add_cases(entry.instruction, arch, cases, sources);
  }
  std::map<std::string, std::map<Word, int>> counted;
  std::map<std::string, CatalogueForm> forms;
  for (const auto& built : build(cases, sources, {})) {
    if (!built) continue;
    const std::vector<Instruction>& code = built->kernels.front().listing.instructions;
    for (std::size_t i = 0; i < code.size(); ++i) {
      if (names_a_place(code[i])) continue;
      const std::string key = key_of(code[i]);
      ++counted[key][unguarded({code[i].low, code[i].high})];
      std::optional<int>& encoded = forms[key].encoded;
      if (const auto cycles = encoded_distance(code, i)) encoded = std::min(*cycles, encoded.value_or(*cycles));
    }
  }
  for (const auto& [key, of] : counted) {
    std::vector<Word>& words = forms[key].words;
    for (const auto& [word, count] : of) words.push_back(word);
    std::ranges::stable_sort(words, std::greater(), [&](const Word& word) { return of.at(word); });
  }
  return forms;
}

}  // namespace warpclock::testing
