#include <fmt/format.h>

#include <algorithm>

#include "base/lookup.hpp"
#include "ptx/experiment/experiment.hpp"
#include "record/instructions/instruction_assemble.hpp"

namespace warpclock {
namespace {

constexpr double lanes = 32, schedulers = 4;

/// The latency from the source operands that read one operand of the PTX instruction; null without one.
const DependencyLatency* latency_of(const std::vector<int>& sources, const MachineRow& form) {
  const DependencyLatency* longest = nullptr;
  for (const int source : sources) {
    const DependencyLatency* one = find_by(form.latencies, source, &DependencyLatency::source);
    if (one == nullptr || !one->cycles) return nullptr;
    if (longest == nullptr || longest->cycles->value < one->cycles->value) longest = one;
  }
  return longest;
}

/// Why there is none.
std::string why_none(const std::vector<int>& sources, const MachineRow& form) {
  for (const int source : sources) {
    const DependencyLatency* one = find_by(form.latencies, source, &DependencyLatency::source);
    if (one != nullptr && !one->note.empty()) return one->note;
  }
  return "its form has none through this operand";
}

/// `asked`: another copy of the PTX instruction could write the operand.
void add_latency(InstructionRecord& row, const std::string& operand, const std::vector<int>& sources, bool asked,
                 const MachineRow& form) {
  const DependencyLatency* const latency = latency_of(sources, form);
  if (latency == nullptr) {
    if (!asked) return;
    row.runs.push_back({.measure = "latency." + operand, .verdict = "no-chain", .text = why_none(sources, form)});
    return;
  }
  Estimate estimate = *latency->cycles;
  estimate.name = "latency." + operand;
  if (!latency->through.empty())
    estimate.note = fmt::format("through {} ({:g} cycles)", latency->through, latency->through_cycles);
  row.estimates.push_back(std::move(estimate));
}

Estimate encoded_cycles(int cycles) {
  const double value = cycles;
  return {.name = "encoded",
          .value = value,
          .low = value,
          .high = value,
          .unit = "cycles",
          .method = "encoded",
          .note = "the fewest that ptxas leaves before an instruction reads the result"};
}

/// "4 warps x 4"
Estimate with_chains(Estimate interval) {
  interval.note += fmt::format(" x {}", issue_chains);
  return interval;
}

Estimate inverse(const Estimate& interval) {
  Estimate rate = interval;
  rate.name = "throughput";
  rate.unit = "1/clk/SM";
  rate.value = lanes * schedulers / interval.value;
  rate.low = lanes * schedulers / interval.high;
  rate.high = lanes * schedulers / interval.low;
  return rate;
}

/// Copies that follow each other at once, over the number of warps.
void add_rates(InstructionRecord& row, const MachineRow& form) {
  constexpr double enough = 0.95;
  for (const IssueCell& cell : form.cells) {
    if (!form.at_once(cell) || cell.cycles <= 0) continue;
    const double busy = std::min<double>(cell.warps, schedulers);
    row.curve.push_back({cell.warps, issue_chains, lanes * busy / cell.cycles});
    if (cell.warps != 1) continue;
    row.estimates.push_back({.name = "issue",
                             .value = cell.cycles,
                             .low = cell.low,
                             .high = cell.high,
                             .unit = "cycles",
                             .method = "slope",
                             .n = static_cast<std::int64_t>(cell.curve.size()),
                             .note = fmt::format("1 warp x {}", issue_chains)});
  }
  if (!form.interval) return;
  row.estimates.push_back(inverse(with_chains(*form.interval)));
  row.estimates.push_back(with_chains(*form.interval));
  const double rate = lanes * schedulers / form.interval->value;
  for (const ThroughputPoint& point : row.curve) {
    if (point.rate < enough * rate) continue;
    const auto copies = static_cast<double>(point.warps * point.ilp);
    row.estimates.push_back({.name = "saturation", .value = copies, .low = copies, .high = copies, .method = "slope"});
    return;
  }
}

}  // namespace

void answer_by_form(InstructionRecord& row, const PtxInstruction& instruction, const OneWord& word,
                    const MachineRow& form) {
  row.forms = word.forms();
  if (form.reason) {
    row.outcome = Outcome::Rejected;
    row.reason = {"analyze", form.reason->code, form.reason->text};
    return;
  }
  row.outcome = Outcome::Measured;
  row.reason = {};
  const std::vector<Experiment> experiments = latency_experiments(instruction);
  for (std::size_t i = 0; i < word.sources.size(); ++i) {
    const bool asked =
        std::ranges::any_of(experiments, [&](const Experiment& one) { return one.links.front().to == i; });
    if (asked || !word.sources[i].empty()) add_latency(row, instruction.operands[i].name, word.sources[i], asked, form);
  }
  if (form.encoded) row.estimates.push_back(encoded_cycles(*form.encoded));
  add_rates(row, form);
  row.pipes = form.pipes;
  row.counters = form.counters;
}

}  // namespace warpclock
