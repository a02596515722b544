#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/embedded.hpp"
#include "build/build.hpp"
#include "build/flow.hpp"
#include "build/generated.hpp"
#include "code/form_table.hpp"
#include "plan/window.hpp"
#include "ptx/catalogue.hpp"

namespace warpclock::testing {

/// Whether it names a place in its own kernel: another kernel has another one there.
inline bool names_a_place(const Instruction& instruction) {
  return is_jump(instruction) || instruction.branch_target || instruction.text.find("`(") != std::string::npos;
}

inline std::string key_of(const Instruction& instruction) {
  return warpclock::key_of(skeleton_of("@PT " + instruction.text));
}

/// The kernels of an instruction of the catalogue: one instance, and copies in chains and side by side, as they are
/// first tried.
inline void add_cases(const PtxInstruction& instruction, const Arch& arch, std::vector<Case>& cases, Sources& sources) {
  const auto add = [&](const Experiment& experiment, const std::vector<std::int64_t>& repeats) {
    Case& one = cases.emplace_back();
    one.kernel = one.id = generate(instruction, experiment, repeats, sources);
    one.arch = arch;
    one.repeats = repeats;
  };
  add({}, {1});
  for (const Experiment& experiment : latency_experiments(instruction)) add(experiment, {3});
  if (!makes_constant(instruction)) add(throughput_experiment(instruction, false, 1), {3});
}

/// The machine code of the kernels of the catalogue, inside their windows and outside: words by the keys of their
/// forms, those that most kernels have first.
inline std::map<std::string, std::vector<Word>> catalogue_words(const Arch& arch) {
  const Expected<Catalogue> catalogue = load_catalogue(embedded_configs());
  EXPECT_TRUE(catalogue) << catalogue.error().message();
  std::vector<Case> cases;
  Sources sources;
  for (const CatalogueEntry& entry : catalogue->entries) {
    if (has(arch, entry.needs)) add_cases(entry.instruction, arch, cases, sources);
  }
  std::map<std::string, std::map<Word, int>> counted;
  for (const auto& built : build(cases, sources, {})) {
    if (!built) continue;
    for (const Instruction& instruction : built->kernels.front().listing.instructions) {
      if (names_a_place(instruction)) continue;
      ++counted[key_of(instruction)][unguarded({instruction.low, instruction.high})];
    }
  }
  std::map<std::string, std::vector<Word>> words;
  for (const auto& [key, of] : counted) {
    for (const auto& [word, count] : of) words[key].push_back(word);
    std::ranges::stable_sort(words[key], std::greater(), [&](const Word& word) { return of.at(word); });
  }
  return words;
}

}  // namespace warpclock::testing
