#include "record/instructions/instruction_pipes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>

#include "base/lookup.hpp"
#include "code/pipe.hpp"

namespace warpclock {
namespace {

/// The opcodes of one kind without those of the instruction itself, `own` for each copy. The opcodes of its expansion
/// are removed first.
std::map<std::string, double> without_own(std::map<std::string, double> opcodes, const Expansion& expansion,
                                          double own) {
  const auto take = [&](double& count, double most) {
    const double taken = std::clamp(std::min(most, count), 0.0, own);
    count -= taken;
    own -= taken;
  };
  const double instances = own;
  for (auto& [opcode, count] : opcodes) {
    const auto times = std::ranges::count(expansion.opcodes, opcode);
    if (times > 0) take(count, instances);
  }
  for (auto& [opcode, count] : opcodes) take(count, count);
  return opcodes;
}

}  // namespace

std::map<std::string, double> other_pipes(const Trial& trial, const Expansion& expansion, double copies) {
  std::map<std::string, std::map<std::string, double>> kinds;
  for (const auto& [what, count] : trial.further) kinds[what.second][what.first] += static_cast<double>(count);
  std::map<std::string, double> others;
  for (const auto& [kind, opcodes] : kinds) {
    const double instances = static_cast<double>(value_or(expansion.kinds, kind, 0)) * copies;
    for (const auto& [opcode, count] : without_own(opcodes, expansion, instances)) {
      if (count != 0) others[std::string(pipe_of(opcode))] += count / copies;
    }
  }
  return others;
}

std::set<std::string> own_pipes(const Expansion& expansion) {
  std::set<std::string> pipes;
  for (const std::string& opcode : expansion.opcodes) pipes.emplace(pipe_of(opcode));
  return pipes;
}

void add_counters(const CopyCounters& counters, InstructionRecord& row) {
  row.counters_missing = counters.missing;
  if (!counters.missing.empty() || counters.copies <= 0) return;
  constexpr std::string_view pipe_prefix = "smsp__inst_executed_pipe_";
  // The compiler may use another opcode for one copy of several. If operands decide, the executed instructions are
  // unknown.
  constexpr double least_of_a_pipe = 0.2;
  for (const auto& [counter, value] : counters.larger) {
    const auto smaller = counters.smaller.find(counter);
    if (smaller == counters.smaller.end()) continue;
    const double each = (value - smaller->second) / counters.copies;
    if (std::abs(each) < 1e-9) continue;
    row.counters[counter] = each;
    if (!counter.starts_with(pipe_prefix)) continue;
    const std::string rest = counter.substr(pipe_prefix.size()), pipe = rest.substr(0, rest.find('.'));
    const double own = each - value_or(counters.others, pipe, 0);
    const bool is_own = own > least_of_a_pipe || (each > least_of_a_pipe && counters.likely.contains(pipe));
    if (is_own && std::ranges::find(row.pipes, pipe) == row.pipes.end()) row.pipes.push_back(pipe);
  }
  std::ranges::sort(row.pipes);
  const auto executed = row.counters.find("smsp__inst_executed.sum");
  if (executed == row.counters.end()) return;
  constexpr std::string_view begins = "each copy executes ";
  std::erase_if(row.findings, [&](const std::string& finding) { return finding.starts_with(begins); });
  const double found = executed->second * counters.copies;
  if (counters.planned && std::abs(found - *counters.planned) > 0.5) {
    row.findings.push_back(fmt::format("{}{:g} instructions, and the code says {:g}", begins, executed->second,
                                       *counters.planned / counters.copies));
  }
}

}  // namespace warpclock
