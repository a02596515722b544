#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/lookup.hpp"
#include "code/pipe.hpp"
#include "measure/counting.hpp"

namespace warpclock {
namespace {

int count_of(const Verdict& verdict, const std::string& opcode) {
  const auto* found = find_by(verdict.opcodes, opcode, &std::pair<std::string, int>::first);
  return found == nullptr ? 0 : found->second;
}

}  // namespace

// GH100 reads four raw counters in a pass: all executed instructions, and either three pipes with one counter each, or
// the tensor cores, which need three. The counters of single SMs (see measure/counting.hpp) are in the same pass.
const std::vector<Pipes>& pipe_sets() {
  static const std::vector<Pipes> sets{{"alu", "fma", "lsu"},     {"alu", "fma", "xu"}, {"cbu", "fp64", "xu"},
                                       {"adu", "cbu", "uniform"}, {"tensor"},           {"lsu", "tex", "uniform"}};
  return sets;
}

// sm__inst_executed_pipe_adu differs from smsp__inst_executed_pipe_adu: it is up to ten times as large (seen on an
// H200).
bool separable_by_sm(const Pipes& set) { return !set.contains("adu"); }

std::string pipe_metric(std::string_view pipe) { return fmt::format("smsp__inst_executed_pipe_{}.sum", pipe); }

std::vector<std::string> metrics_of(const Pipes& set) {
  std::vector<std::string> metrics{executed_metric};
  for (const std::string& pipe : set) metrics.push_back(pipe_metric(pipe));
  return metrics;
}

Pipes likely_pipes(const Trial& trial) {
  Pipes pipes;
  const auto& verdicts = trial.verdict.verdicts;
  if (verdicts.size() < 2) return pipes;
  for (const auto& [opcode, count] : verdicts.back().opcodes) {
    if (count > count_of(verdicts[verdicts.size() - 2], opcode)) pipes.emplace(pipe_of(opcode));
  }
  return pipes;
}

std::optional<std::size_t> next_set(const std::vector<Pipes>& sets, const Pipes& likely, const Pipes& read) {
  std::optional<std::size_t> best;
  std::pair<std::size_t, std::size_t> most{0, 0};
  for (std::size_t i = 0; i < sets.size(); ++i) {
    std::size_t wanted = 0, unread = 0;
    for (const std::string& pipe : sets[i]) {
      if (read.contains(pipe)) continue;
      ++unread;
      if (likely.contains(pipe)) ++wanted;
    }
    const std::pair<std::size_t, std::size_t> here{wanted, wanted > 0 ? 0 : unread};
    if (here > most) {
      most = here;
      best = i;
    }
  }
  return best;
}

}  // namespace warpclock
