#include "measure/counting.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <string_view>
#include <utility>

#include "base/lookup.hpp"
#include "code/semantics.hpp"
#include "gpu/counters/counters.hpp"
#include "gpu/job/instruction_job.hpp"
#include "plan/plan.hpp"
#include "record/instructions/instruction_assemble.hpp"

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

namespace {

/// "smsp__inst_executed_pipe_alu.sum" for "alu". executed_metric counts all executed instructions.
std::string pipe_metric(std::string_view pipe) { return fmt::format("smsp__inst_executed_pipe_{}.sum", pipe); }

}  // namespace

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

namespace {

/// "sm__inst_executed.min" and "sm__inst_executed.max" for "smsp__inst_executed.sum".
std::array<std::string, 2> of_an_sm(std::string_view sum) {
  const std::string_view counter = sum.substr(sum.find("__"));
  const std::string_view name = counter.substr(0, counter.rfind('.'));
  return {fmt::format("sm{}.min", name), fmt::format("sm{}.max", name)};
}

}  // namespace

std::vector<std::string> pair_metrics(const std::vector<std::string>& sums) {
  std::vector<std::string> all;
  for (const std::string& sum : sums) {
    all.push_back(sum);
    for (std::string& one : of_an_sm(sum)) all.push_back(std::move(one));
  }
  return all;
}

std::optional<CountedPair> separate_pair(const CounterValues& values, const std::vector<std::string>& sums, int sms) {
  CountedPair pair;
  for (const std::string& name : sums) {
    const auto [least, most] = of_an_sm(name);
    const auto sum = values.find(name), low = values.find(least), high = values.find(most);
    if (sum == values.end() || low == values.end() || high == values.end()) continue;
    const double larger = low->second, smaller = high->second - low->second;
    if (std::abs(sms * larger + smaller - sum->second) > 0.5) return std::nullopt;
    pair.larger[name] = larger;
    pair.smaller[name] = smaller;
  }
  return pair;
}

namespace {

/// Instructions that a warp executes for a copy, as far as the code shows it.
double executed_for_a_copy(const Trial& trial) {
  if (const auto executed = planned(trial)) return *executed / further_copies(trial, Launch{}.warmups + 1);
  return static_cast<double>(total(trial.verdict.copy));
}

}  // namespace

const Trial* counted_trial(const CompiledInstruction& compiled) {
  const Trial* chosen = nullptr;
  for (const Trial& trial : compiled.trials) {
    if (!trial.verdict.verified() || trial.kernels.size() < 2) continue;
    if (!chosen || executed_for_a_copy(trial) < executed_for_a_copy(*chosen)) chosen = &trial;
  }
  return chosen;
}

std::optional<double> planned(const Trial& trial) {
  const auto& executed = trial.executed;
  if (executed.size() < 2 || !executed.back() || !executed[executed.size() - 2]) return std::nullopt;
  return static_cast<double>(*executed.back() - *executed[executed.size() - 2]);
}

double further_copies(const Trial& trial, int passes) {
  const auto further = trial.kernels.back().n - trial.kernels[trial.kernels.size() - 2].n;
  return static_cast<double>(further * trial.experiment.ilp * trial.experiment.trips * passes);
}

namespace {

// Instructions whose counters are read in one session of the profiler. The set-up of a session takes longer with more
// of them, except for a second session of the same size.
constexpr std::size_t most_counted = 64;

/// Whether the pipes read so far account for all executed instructions, except for less than a further pipe would need.
bool accounted(const CountedCode& one) {
  constexpr double least_of_a_pipe = 0.1;  // half of the threshold of add_counters()
  double pipes = 0, executed = one.fills_room ? 1 : 0;
  for (const auto& [name, value] : one.row->counters) (name == executed_metric ? executed : pipes) += value;
  return executed > 0 && std::abs(executed - pipes) < least_of_a_pipe;
}

CountedCode counted_code(MeasuredInstruction& one, const Trial& trial) {
  const int passes = static_cast<int>(Launch{}.warmups) + 1;
  CountedCode code{&one.record, largest_pair(trial), likely_pipes(trial), {}};
  code.copies.copies = further_copies(trial, passes);
  code.copies.planned = planned(trial);
  if (!code.copies.planned) code.copies.likely = own_pipes(one.compiled.expansion);
  code.copies.others = other_pipes(trial, one.compiled.expansion, code.copies.copies);
  return code;
}

}  // namespace

std::vector<Pipes> available_pipe_sets(const std::string& chip) {
  std::vector<Pipes> sets = pipe_sets();
  // All are checked at once, because each query takes CUPTI tens of milliseconds.
  std::vector<std::string> metrics;
  for (const Pipes& set : sets) {
    for (const std::string& pipe : set) metrics.push_back(pipe_metric(pipe));
  }
  const auto unknown = unknown_metrics(chip, pair_metrics(metrics));
  if (!unknown) return sets;
  const std::set<std::string> lacking(unknown->begin(), unknown->end());
  const auto is_lacking = [&](const std::string& pipe) {
    return std::ranges::any_of(pair_metrics({pipe_metric(pipe)}),
                               [&](const std::string& metric) { return lacking.contains(metric); });
  };
  for (Pipes& set : sets) std::erase_if(set, is_lacking);
  return sets;
}

Expected<void> InstructionCounter::count(const std::vector<MeasuredInstruction*>& measured) {
  std::vector<CountedCode> all;
  for (MeasuredInstruction* one : measured) {
    if (one->record.outcome != Outcome::Measured) continue;
    if (const Trial* trial = counted_trial(one->compiled)) all.push_back(counted_code(*one, *trial));
  }
  return count(std::move(all));
}

Expected<void> InstructionCounter::count(std::vector<CountedCode> all) {
  for (bool any = true; any;) {
    any = false;
    for (std::size_t set = 0; set < sets_.size(); ++set) {
      Group group;
      for (CountedCode& one : all) {
        const bool wanted = one.separable && !accounted(one);
        if (wanted && next_set(sets_, one.likely, one.read) == set) group.push_back(&one);
      }
      // Neighbours are in different modules. Rows of one module are counted together, while it is loaded.
      std::ranges::stable_sort(
          group, {}, [](const CountedCode* one) -> const auto& { return one->kernels.back().cubin_path; });
      WARPCLOCK_TRY(count_all(group, metrics_of(sets_[set]), separable_by_sm(sets_[set])));
      for (CountedCode* one : group) one->read.insert(sets_[set].begin(), sets_[set].end());
      any = any || !group.empty();
    }
  }
  return count_inseparable(all);
}

/// Handles the few rows whose kernels execute more instructions if they run together, like a loop around a
/// compare-and-swap. Each kernel is counted alone, for all pipes, in as many passes as needed.
Expected<void> InstructionCounter::count_inseparable(std::vector<CountedCode>& all) {
  Group group;
  for (CountedCode& one : all) {
    if (!one.separable) group.push_back(&one);
  }
  Pipes pipes;
  for (const Pipes& set : sets_) pipes.insert(set.begin(), set.end());
  return count_all(group, metrics_of(pipes), false);
}

/// Uses groups of equal size, because for the profiler another number of launches costs as much as other counters.
Expected<void> InstructionCounter::count_all(const Group& all, const std::vector<std::string>& names, bool as_pairs) {
  if (all.empty()) return {};
  const std::size_t groups = (all.size() + most_counted - 1) / most_counted;
  const std::size_t each = (all.size() + groups - 1) / groups;
  for (std::size_t from = 0; from < all.size(); from += each) {
    const auto first = all.begin() + static_cast<std::ptrdiff_t>(from);
    const auto last = first + static_cast<std::ptrdiff_t>(std::min(each, all.size() - from));
    WARPCLOCK_TRY(count_group({first, last}, names, as_pairs, each));
  }
  return {};
}

/// Counts a group in one job, as pairs of kernels or each kernel alone. If that fails, counts each row in its own
/// job, so that the reason is recorded in the right row. The last row is repeated until there are `size`.
Expected<void> InstructionCounter::count_group(const Group& group, const std::vector<std::string>& names, bool as_pairs,
                                               std::size_t size) {
  auto pairs = mapped(group, [](const CountedCode* one) { return one->kernels; });
  pairs.resize(size, pairs.back());
  std::string missing = worker_.counters_missing();
  std::vector<CounterValues> values;
  if (missing.empty()) {
    const Job job = counting_job(group.front()->row->id, pairs, as_pairs ? pair_metrics(names) : names, as_pairs);
    auto observation = worker_.run(job);
    if (!observation && observation.error().code == ErrorCode::DeviceLost) return std::unexpected(observation.error());
    if (observation) values = std::move(observation->counted);
    missing = observation ? observation->counters_missing : observation.error().message();
    const std::size_t expected = as_pairs ? size : 2 * size;
    if (missing.empty() && values.size() != expected) missing = "the worker did not count all kernels";
  }
  if (!missing.empty() && group.size() > 1 && worker_.counters_missing().empty()) {
    for (CountedCode* one : group) WARPCLOCK_TRY(count_group({one}, names, as_pairs, 1));
    return {};
  }
  for (std::size_t i = 0; i < group.size(); ++i) {
    CopyCounters counters = group[i]->copies;
    counters.missing = missing;
    if (missing.empty() && as_pairs) {
      auto pair = separate_pair(values[i], names, worker_.device().sms);
      group[i]->separable = pair.has_value();
      if (!pair) continue;
      counters.smaller = std::move(pair->smaller);
      counters.larger = std::move(pair->larger);
    } else if (missing.empty()) {
      counters.smaller = std::move(values[2 * i]);
      counters.larger = std::move(values[2 * i + 1]);
    }
    if (group[i]->fills_room) {
      counters.smaller.erase(executed_metric);
      counters.larger.erase(executed_metric);
    }
    add_counters(counters, *group[i]->row);
  }
  return {};
}

}  // namespace warpclock
