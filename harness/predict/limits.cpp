#include "predict/limits.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "inspect/inspect.hpp"

namespace warpclock {
namespace {

constexpr std::size_t most_waits = 12;
constexpr const char* alone_name = "one warp alone";

/// L2 has a unit for each direction.
std::string path_name(const std::string& unit) { return unit == "L2 stores" ? "L2" : unit; }

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

/// The resource that is used most, if it is used so much that others cannot be; else one warp's latencies limit. It is
/// the rule by which `warpclock check` names the limiter that counters show.
std::string limiter_of(const std::vector<LowerBound>& bounds) {
  constexpr double enough = 0.6;
  const auto resource = std::ranges::find_if(bounds, [](const LowerBound& one) { return one.name != alone_name; });
  if (resource != bounds.end() && resource->share >= enough) return resource->name;
  return bounds.empty() ? "" : alone_name;
}

/// How many sectors of each of its executions go to a level, if any do.
std::optional<double> sectors_at(const ProgramStep& step, MemoryLevel level) {
  constexpr double sector_bytes = 32;
  std::optional<double> sectors;
  for (const PathStep& path : step.paths)
    if (path.cost.level == level) sectors = sectors.value_or(0) + path.cost.bytes / sector_bytes;
  return sectors;
}

}  // namespace

void add_instructions(Prediction& prediction, const LoadedKernel& kernel, const Runs& runs,
                      const std::map<std::size_t, AccessPattern>& patterns, std::int64_t blocks) {
  const auto& instructions = kernel.listing.instructions;
  prediction.instructions.resize(instructions.size());
  for (std::size_t i = 0; i < instructions.size(); ++i) {
    AnnotatedInstruction& one = prediction.instructions[i];
    one.address = static_cast<std::int64_t>(instructions[i].address);
    one.text = listed_text(instructions[i]);
    if (i < kernel.lines.size()) one.file = kernel.lines[i].file, one.line = kernel.lines[i].line;
  }
  double all = 0;
  for (const StepWaits& step : runs.use.steps) all = std::accumulate(step.cycles.begin(), step.cycles.end(), all);
  for (std::size_t i = 0; i < runs.program.steps.size(); ++i) {
    const ProgramStep& step = runs.program.steps[i];
    const StepWaits& waits = runs.use.steps[i];
    if (waits.issues == 0) continue;
    AnnotatedInstruction& one = prediction.instructions[step.index];
    const auto issues = static_cast<double>(waits.issues);
    const double cycles = std::accumulate(waits.cycles.begin(), waits.cycles.end(), 0.0);
    one.executed = std::round(issues * static_cast<double>(blocks) / runs.use.blocks);
    one.cycles = cycles / issues;
    one.wait = (cycles - waits.cycles[static_cast<std::size_t>(Wait::Stall)]) / issues;
    one.share = all > 0 ? cycles / all : 0;
    const auto longest = std::max_element(waits.cycles.begin() + 1, waits.cycles.end());
    if (*longest > 0)
      one.why = reason(kernel.listing, runs.program, i, static_cast<Wait>(longest - waits.cycles.begin()));
    one.l2 = sectors_at(step, MemoryLevel::L2), one.dram = sectors_at(step, MemoryLevel::Dram);
    if (const auto pattern = patterns.find(step.index); pattern != patterns.end() && (one.l2 || one.dram))
      one.l1 = pattern->second.sectors;
  }
}

void add_limits(Prediction& prediction, const Listing& listing, const Runs& runs, double alone) {
  const double cycles = std::max(1.0, runs.use.cycles);
  const auto add = [&](const std::string& name, double busy, double after = 0) {
    if (!(busy > 0)) return;
    const auto same = std::ranges::find(prediction.bounds, name, &LowerBound::name);
    if (same == prediction.bounds.end())
      prediction.bounds.push_back({name, busy, busy / (cycles + after)});
    else if (busy > same->cycles)
      *same = {name, busy, busy / (cycles + after)};
  };
  add("issue", std::ranges::max(runs.use.issues));
  constexpr auto parts = static_cast<double>(sub_partitions);
  for (std::size_t i = 0; i < runs.program.pipes.size(); ++i)
    add("pipe " + runs.program.pipes[i], runs.use.pipe_busy[i] / parts);
  for (std::size_t i = 0; i < runs.program.units.size(); ++i) {
    const std::string& name = runs.program.units[i];
    // L2 has a path for each direction; the fuller one limits.
    const bool path = name.starts_with("L2") || name == "DRAM";
    // Atomic accesses go on in L2 when the SM has ended.
    add(path ? path_name(name) : "unit " + name, runs.use.unit_busy[i], name == "L2 atomics" ? runs.low.drain : 0);
  }
  add(alone_name, alone * cycles);
  std::ranges::stable_sort(prediction.bounds, std::ranges::greater{}, &LowerBound::share);
  prediction.limiter = limiter_of(prediction.bounds);
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
    for (const PathStep& path : step.paths)
      issue.paths.push_back(path_name(runs.program.units[static_cast<std::size_t>(path.unit)]));
  }
}

namespace {

/// Cycles that are not known of all issues of a step.
double open_cycles(const ProgramStep& step, const StepWaits& waits) {
  const auto width = [](const Bounds& one) { return one.high - one.low; };
  const double most =
      std::max({width(step.busy), width(step.unit_busy), width(step.latency), width(step.read_latency)});
  return static_cast<double>(waits.issues) * most;
}

}  // namespace

void add_unknown(Prediction& prediction, const Listing& listing, const Runs& runs) {
  const auto& steps = runs.program.steps;
  std::vector<std::pair<double, UnknownCost>> all;
  for (const auto& [gap, indices] : runs.program.gaps) {
    auto& [cycles, one] = all.emplace_back(0, UnknownCost{gap.instruction, gap.what, {}});
    for (const std::size_t index : indices) {
      const std::size_t step = index - steps.front().index;
      cycles += open_cycles(steps[step], runs.low.steps[step]);
      one.addresses.push_back(static_cast<std::int64_t>(listing.instructions[index].address));
    }
  }
  std::ranges::stable_sort(all, std::ranges::greater{}, [](const auto& one) { return one.first; });
  for (auto& [cycles, one] : all) prediction.unknown.push_back(std::move(one));
}

}  // namespace warpclock
