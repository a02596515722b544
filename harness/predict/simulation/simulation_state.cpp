#include "predict/simulation/simulation_state.hpp"

#include <algorithm>

namespace warpclock {
namespace {

/// Cycles by which the read of one register of a bank may fall behind the issue. An instruction that reads several of a
/// bank waits until all can be read. Half of the composed loops with random registers then take what is predicted
/// within 3 % (docs/findings.md, "Exact costs of banks and reuse").
constexpr double bank_slack = 1;

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
  const bool until_served = stores || (options.high && step.act != Act::Bulk);
  raise(step.read, (until_served ? when.served : when.begun) + pick(step.read_latency));
}

bool multiplies(const ProgramStep& step) { return step.act == Act::Multiply || step.act == Act::LastInBatch; }

StepNeeds needs_of(const ProgramStep& step, const Program& program) {
  const int queue = multiplies(step) ? static_cast<int>(program.units.size()) : step.unit;
  StepNeeds needs{step.pipe, queue, static_cast<float>(step.occupied.early), static_cast<float>(step.later)};
  if (step.either_half) needs.half = Half::Either;
  if (!step.either_half && step.occupied.both_halves) needs.half = Half::Both;
  for (std::size_t bank = 0; bank < step.banks.size(); ++bank)
    needs.banks[bank] = step.banks[bank] + step.occupied.reads;
  for (std::size_t port = 0; port < port_count; ++port) needs.ports[port] = step.occupied.ports[port].waits;
  needs.any_port = std::ranges::any_of(needs.ports, [](bool waits) { return waits; });
  return needs;
}

void wait_for_ports(const SubPartitionState& part, const StepNeeds& needs, bool chosen, Earliest& earliest) {
  for (std::size_t port = 0; needs.any_port && port < port_count; ++port) {
    const bool after = port == static_cast<std::size_t>(Port::Tensor) || port == static_cast<std::size_t>(Port::Queue);
    if (after == chosen && needs.ports[port]) earliest.no_sooner(part.ports[port] - needs.later, Wait::Pipe);
  }
}

Earliest dispatched(const SubPartitionState& part, const StepNeeds& needs, Earliest earliest) {
  earliest.no_sooner(part.slot, Wait::Slot);
  for (std::size_t bank = 0; bank < needs.banks.size(); ++bank) {
    const int reads = needs.banks[bank];
    if (reads > 0) earliest.no_sooner(part.banks[bank] - (reads == 1 ? bank_slack : 0), Wait::Bank);
  }
  wait_for_ports(part, needs, true, earliest);
  return earliest;
}

Earliest earliest_of(const WarpState& warp, const ProgramStep& step) {
  Earliest earliest{warp.ready, Wait::Stall};
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
  const auto behind = [](const WarpState& warp) { return warp.yielded || warp.own.wait == Wait::Scoreboard; };
  return behind(one) == behind(other) ? one.last < other.last : behind(other);
}

void settle(WarpState& warp, const Program& program) {
  const bool waits = warp.done || warp.barrier >= 0 || warp.awaited;
  warp.own = waits ? Earliest() : earliest_of(warp, program.steps[warp.at]);
}

bool takes_jump(WarpState& warp, const ProgramStep& step) {
  if (step.decision == Decision::Always || step.decision == Decision::Never) return step.decision == Decision::Always;
  std::int64_t& count = warp.taken[warp.at];
  const bool last = ++count >= step.trips;
  if (last) count = 0;
  return step.decision == Decision::Trips ? !last : last;
}

}  // namespace warpclock
