#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "base/lookup.hpp"
#include "ptx/experiment/experiment.hpp"
#include "record/instructions/instruction_assemble.hpp"

namespace warpclock {
namespace {

constexpr double lanes = 32, schedulers = 4;

const OperandPath* path_of(int source, const Row& form) {
  return find_by(form.machine.paths, source, &OperandPath::source);
}

/// The latency from the source operands that read one operand of the PTX instruction, the longest; nothing without one.
/// Its note says what brings the result there.
std::optional<Estimate> latency_of(const std::vector<int>& sources, const Row& form) {
  std::optional<Estimate> longest;
  for (const int source : sources) {
    const Estimate* one = estimate_in(form, fmt::format("latency.{}", source));
    if (one == nullptr) return std::nullopt;
    if (longest && longest->value >= one->value) continue;
    longest = *one;
    const OperandPath* path = path_of(source, form);
    if (path != nullptr && !path->through.empty())
      longest->note = fmt::format("through {} ({:g} cycles)", path->through, path->through_cycles);
  }
  return longest;
}

/// Why there is none.
std::string why_none(const std::vector<int>& sources, const Row& form) {
  for (const int source : sources) {
    const OperandPath* path = path_of(source, form);
    if (path != nullptr && !path->note.empty()) return path->note;
  }
  return "its form has none through this operand";
}

/// `asked`: another copy of the PTX instruction could write the operand.
void add_latency(Row& row, const std::string& operand, const std::vector<int>& sources, bool asked, const Row& form) {
  auto latency = latency_of(sources, form);
  if (latency) {
    latency->name = "latency." + operand;
    row.estimates.push_back(*std::move(latency));
  } else if (asked) {
    row.instruction.runs.push_back(
        {.measure = "latency." + operand, .verdict = "no-chain", .text = why_none(sources, form)});
  }
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
void add_rates(Row& row, const Row& form) {
  constexpr double enough = 0.95;
  std::vector<ThroughputPoint>& curve = row.instruction.curve;
  for (const IssueCell& cell : form.machine.cells) {
    if (!form.machine.at_once(cell) || cell.cycles <= 0) continue;
    const double busy = std::min<double>(cell.warps, schedulers);
    curve.push_back({cell.warps, issue_chains, lanes * busy / cell.cycles});
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
  const Estimate* interval = estimate_in(form, "interval");
  if (interval == nullptr) return;
  row.estimates.push_back(inverse(with_chains(*interval)));
  row.estimates.push_back(with_chains(*interval));
  const double rate = lanes * schedulers / interval->value;
  for (const ThroughputPoint& point : curve) {
    if (point.rate < enough * rate) continue;
    const auto copies = static_cast<double>(point.warps * point.ilp);
    row.estimates.push_back({.name = "saturation", .value = copies, .low = copies, .high = copies, .method = "slope"});
    return;
  }
}

}  // namespace

void answer_by_form(Row& row, const PtxInstruction& instruction, const OneWord& word, const Row& form) {
  row.forms = word.forms();
  if (form.outcome != Outcome::Measured) {
    row.outcome = Outcome::Rejected;
    row.reason = {"analyze", form.reason.code, form.reason.text};
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
  if (const Estimate* encoded = estimate_in(form, "encoded")) row.estimates.push_back(*encoded);
  add_rates(row, form);
  row.pipes = form.pipes;
  row.counters = form.counters;
}

}  // namespace warpclock
