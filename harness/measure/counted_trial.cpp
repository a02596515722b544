#include "measure/counted_trial.hpp"

namespace warpclock {

const Trial* counted_trial(const CompiledInstruction& compiled) {
  const Trial* chosen = nullptr;
  for (const Trial& trial : compiled.trials) {
    if (!trial.verdict.verified() || trial.kernels.size() < 2) continue;
    if (!chosen || total(trial.verdict.copy) < total(chosen->verdict.copy)) chosen = &trial;
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
