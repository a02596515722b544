#include "measure/counting.hpp"
#include "plan/case.hpp"

namespace warpclock {
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

}  // namespace warpclock
