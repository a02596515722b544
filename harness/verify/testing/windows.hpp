#pragma once

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "base/text.hpp"
#include "compile/build.hpp"
#include "compile/sources.hpp"
#include "compile/testing/probes.hpp"
#include "ptx/experiment/block.hpp"
#include "ptx/testing/described.hpp"
#include "verify/instruction/verify_instruction.hpp"

namespace warpclock::testing {

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

/// The windows of one experiment, compiled, and the expansion of one instance.
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

}  // namespace warpclock::testing
