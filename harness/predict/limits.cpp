#include "predict/limits.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

namespace warpclock {
namespace {

constexpr std::size_t most_waits = 12;

std::string address_of(const Listing& listing, std::size_t index) {
  return fmt::format("{:#06x} {}", listing.instructions[index].address, listing.instructions[index].name());
}

/// The instructions before it whose scoreboards it waits for; in a loop they may also be after it.
std::string setters(const Listing& listing, const Program& program, std::size_t step) {
  const ProgramStep& waits = program.steps[step];
  std::string names;
  for (int scoreboard = 0; scoreboard < 6; ++scoreboard) {
    if ((waits.wait >> scoreboard & 1U) == 0) continue;
    for (std::size_t back = 1; back < program.steps.size(); ++back) {
      const ProgramStep& other = program.steps[(step + program.steps.size() - back) % program.steps.size()];
      if (other.write != scoreboard && other.read != scoreboard) continue;
      names += (names.empty() ? "" : ", ") + address_of(listing, other.index);
      break;
    }
  }
  return names;
}

std::string reason(const Listing& listing, const Program& program, std::size_t step, Wait wait) {
  std::string name = wait_names[static_cast<std::size_t>(wait)];
  if (wait == Wait::Pipe && program.steps[step].pipe >= 0)
    return name + " " + program.pipes[static_cast<std::size_t>(program.steps[step].pipe)];
  if (wait == Wait::Unit && program.steps[step].unit >= 0)
    return name + " of " + program.units[static_cast<std::size_t>(program.steps[step].unit)];
  if (wait != Wait::Scoreboard) return name;
  const std::string names = setters(listing, program, step);
  return names.empty() ? name : name + " of " + names;
}

void add_waits(Prediction& prediction, const Listing& listing, const Runs& runs) {
  std::vector<std::pair<double, InstructionWait>> all;
  for (std::size_t i = 0; i < runs.program.steps.size(); ++i) {
    const StepWaits& waits = runs.low.steps[i];
    const Instruction& instruction = listing.instructions[runs.program.steps[i].index];
    for (std::size_t w = 1; w < wait_names.size(); ++w) {
      if (!(waits.cycles[w] > 0) || waits.issues == 0) continue;
      InstructionWait one{.address = static_cast<std::int64_t>(instruction.address), .text = instruction.text};
      one.issues = waits.issues;
      one.cycles = waits.cycles[w] / static_cast<double>(waits.issues);
      one.why = reason(listing, runs.program, i, static_cast<Wait>(w));
      all.emplace_back(waits.cycles[w], std::move(one));
    }
  }
  std::ranges::stable_sort(all, std::ranges::greater{}, [](const auto& one) { return one.first; });
  for (std::size_t i = 0; i < std::min(all.size(), most_waits); ++i) prediction.waits.push_back(all[i].second);
}

}  // namespace

void add_limits(Prediction& prediction, const Listing& listing, const Runs& runs, double alone) {
  const double cycles = std::max(1.0, runs.low.cycles);
  const auto add = [&](std::string name, double busy) {
    if (busy > 0) prediction.bounds.push_back({std::move(name), busy, busy / cycles});
  };
  add("issue", static_cast<double>(std::ranges::max(runs.low.issues)));
  constexpr auto parts = static_cast<double>(sub_partitions);
  for (std::size_t i = 0; i < runs.program.pipes.size(); ++i)
    add("pipe " + runs.program.pipes[i], runs.low.pipe_busy[i] / parts);
  for (std::size_t i = 0; i < runs.program.units.size(); ++i) {
    const std::string& name = runs.program.units[i];
    add(name == "L2" || name == "DRAM" ? name : "unit " + name, runs.low.unit_busy[i]);
  }
  add("one warp alone", alone * cycles);
  std::ranges::stable_sort(prediction.bounds, std::ranges::greater{}, &LowerBound::share);
  if (!prediction.bounds.empty()) prediction.limiter = prediction.bounds.front().name;
  add_waits(prediction, listing, runs);
  for (const IssueEvent& event : runs.low.events) {
    const ProgramStep& step = runs.program.steps[event.step];
    const Instruction& instruction = listing.instructions[step.index];
    TimelineIssue& issue = prediction.timeline.emplace_back();
    issue.warp = event.warp;
    issue.cycle = event.cycle;
    issue.address = static_cast<std::int64_t>(instruction.address);
    issue.instruction = instruction.name();
    if (step.pipe >= 0) issue.pipe = runs.program.pipes[static_cast<std::size_t>(step.pipe)];
    issue.busy = step.either_half ? step.busy.low / 2 : step.busy.low;
    issue.why = wait_names[static_cast<std::size_t>(event.wait)];
  }
}

}  // namespace warpclock
