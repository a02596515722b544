#include "predict/simulation/simulation_state.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "execute/explain.hpp"

namespace warpclock {
namespace {

void commit(std::vector<double>& groups, double done) {
  constexpr std::size_t most_open = 64;
  if (groups.size() == most_open) groups.erase(groups.begin());
  // A group is waited for together with those before it, even if it has no copies.
  groups.push_back(groups.empty() ? done : std::max(done, groups.back()));
}

}  // namespace

void signal(WarpState& warp, const ProgramStep& step, const SimulationOptions& options, const Served& when) {
  const auto pick = [&](const Bounds& bounds) { return options.high ? bounds.high : bounds.low; };
  double done = when.served + pick(step.latency);
  if (step.act == Act::Copy) warp.copied = std::max(warp.copied, done);
  if (step.act == Act::Commit) {
    done = std::max(when.issued + options.commit, warp.copied);
    warp.copied = 0;
    if (step.write >= 0) commit(warp.groups[static_cast<std::size_t>(step.write)], done);
  }
  if (multiplies(step)) warp.multiplied = std::max(warp.multiplied, when.begun + pick(step.latency));
  if (step.act == Act::LastInBatch) commit(warp.groups[batches], warp.multiplied);
  const auto raise = [&](int scoreboard, double cycle) {
    if (scoreboard < 0) return;
    double& released = warp.released[static_cast<std::size_t>(scoreboard)];
    released = std::max(released, cycle);
  };
  if (step.act != Act::Copy) raise(step.write, done);
  const bool stores = !step.paths.empty() && step.paths.front().cost.write;
  raise(step.read, (stores ? when.served : when.begun) + pick(step.read_latency));
}

std::string places_of(const std::vector<WarpState>& warps, const Program& program) {
  constexpr std::size_t bytes = 16;  // of an instruction
  std::map<std::size_t, int> at;
  for (const WarpState& warp : warps) {
    const std::size_t step = warp.awaited.empty() ? std::max<std::size_t>(warp.at, 1) - 1 : warp.awaits;
    if (!warp.done) ++at[step];
  }
  return counted_places(at,
                        [&](std::size_t step) { return fmt::format("{:#06x}", program.steps[step].index * bytes); });
}

bool multiplies(const ProgramStep& step) { return step.act == Act::Multiply || step.act == Act::LastInBatch; }

void UnitQueue::enter(double begun) {
  if (full()) until_.erase(until_.begin());
  until_.push_back(begun + held_);
}

// Composed loops on an H200: of LDS with stall counts of 1, a warp on each sub-partition issues 12 in 15 cycles and
// then one in 4; a warp alone on the SM, of which the unit takes one in 2 cycles, issues 16 at once.
UnitQueue access_queue() { return {10, 8}; }

// An H100: of eight multiplies in a row, the first six issue at once.
UnitQueue group_queue() { return {5, 0}; }

bool waits_like(const SubPartitionState& part, const StepNeeds& one, const StepNeeds& other) {
  return one.queue >= 0 && one.queue == other.queue && part.queues[static_cast<std::size_t>(one.queue)].full();
}

void SubPartitionState::take(const ProgramStep& step, std::size_t tensor_pipe, double now) {
  const double held = dispatch.held, by = held + step.occupied.delays;
  if (ports[static_cast<std::size_t>(Port::Tensor)] > now - held) {
    const auto delay = [&](double& free) { free += free > now - held ? by : 0; };
    delay(pipes[tensor_pipe][0]);
    std::ranges::for_each(ports, delay);
  }
  registers.take(dispatch.registers, dispatch.reads, dispatch.writes);
  for (std::size_t port = 0; port < port_count; ++port) {
    const double holds = step.occupied.ports[port].holds;
    if (holds > 0) ports[port] = std::max(ports[port], now + holds);
  }
  if (step.occupied.work != TensorWork::None) work = step.occupied.work;
}

StepNeeds needs_of(const ProgramStep& step, const Program& program) {
  const int queue = multiplies(step) ? static_cast<int>(program.units.size()) : step.unit;
  StepNeeds needs{step.pipe, queue, static_cast<float>(step.occupied.early), static_cast<float>(step.later)};
  if (step.either_half) needs.half = Half::Either;
  if (!step.either_half && step.occupied.both_halves) needs.half = Half::Both;
  needs.registers = step.registers;
  needs.work = step.occupied.work;
  needs.goes_on = step.occupied.goes_on;
  for (std::size_t port = 0; port < port_count; ++port) needs.ports[port] = step.occupied.ports[port].waits;
  needs.any_port = std::ranges::any_of(needs.ports, [](bool waits) { return waits; });
  return needs;
}

void wait_for_ports(const SubPartitionState& part, const StepNeeds& needs, Earliest& earliest) {
  for (std::size_t port = 0; needs.any_port && port < port_count; ++port) {
    if (needs.ports[port]) earliest.no_sooner(part.ports[port] - needs.later, Wait::Pipe);
  }
}

Dispatch dispatched(const SubPartitionState& part, const StepNeeds& needs, Earliest why, double first,
                    std::int64_t in_a_row) {
  why.no_sooner(part.slot, Wait::Slot);
  const auto free = static_cast<std::int64_t>(std::max(first, std::ceil(why.cycle)));
  Dispatch dispatch{.reads = free, .registers = needs.registers.after(in_a_row)};
  auto cycle = free + part.registers.held_by_reads(dispatch.registers, free);
  while (!part.registers.can_write(dispatch.registers, cycle)) ++cycle;
  dispatch.writes = cycle;
  // The tensor core has begun to read, and only what follows waits until it has read all.
  if (needs.registers.retry > 0 && part.registers.just_read(dispatch.reads)) cycle += needs.registers.retry;
  dispatch.held = static_cast<double>(cycle - free);
  why.cycle = static_cast<double>(free);
  why.no_sooner(static_cast<double>(cycle), Wait::Bank);
  dispatch.why = why;
  return dispatch;
}

Earliest earliest_of(const WarpState& warp, const ProgramStep& step) {
  Earliest earliest{warp.ready, Wait::Stall};
  earliest.no_sooner(warp.fetched, Wait::Fetch);
  earliest.no_sooner(warp.constants, Wait::Constant);
  for (std::size_t s = 0; s < scoreboard_count; ++s) {
    if ((step.wait >> s & 1U) != 0) earliest.no_sooner(warp.released[s], Wait::Scoreboard);
  }
  for (const Older& older : step.older)
    earliest.no_sooner(warp.issued[older.step] + older.cycles - step.later, Wait::Order);
  if (step.act == Act::Await) {
    const auto& groups = warp.groups[static_cast<std::size_t>(step.await)];
    const auto left = static_cast<std::size_t>(step.left);
    if (groups.size() > left) earliest.no_sooner(groups[groups.size() - 1 - left], Wait::Scoreboard);
  }
  return earliest;
}

bool goes_before(const WarpState& one, const WarpState& other) {
  if (one.age != other.age) return one.age < other.age;
  const auto behind = [](const WarpState& warp) { return warp.yielded || warp.own.wait == Wait::Scoreboard; };
  return behind(one) == behind(other) ? one.last < other.last : behind(other);
}

bool keeps_tensor_work(const SubPartitionState& part, const StepNeeds& one, const StepNeeds& other) {
  return one.work != TensorWork::None && one.work == part.work && other.work != TensorWork::None &&
         other.work != part.work;
}

void settle(WarpState& warp, const Program& program) {
  const bool waits = warp.done || warp.barrier >= 0 || !warp.awaited.empty();
  warp.own = waits ? Earliest() : earliest_of(warp, program.steps[warp.at]);
}

bool takes_jump(WarpState& warp, const ProgramStep& step) {
  if (step.decision == Decision::Always || step.decision == Decision::Never) return step.decision == Decision::Always;
  std::int64_t& count = warp.taken[warp.at];
  const double part = step.taken.empty() ? 1 : step.taken[warp.of_block % step.taken.size()];
  const bool last = ++count >= (part == 1 ? step.trips : std::llround(part * static_cast<double>(step.trips)));
  if (last) count = 0;
  return step.decision == Decision::Trips ? !last : last;
}

}  // namespace warpclock
