#include "predict/simulation_state.hpp"

#include <algorithm>

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
  const auto raise = [&](int scoreboard, double cycle) {
    if (scoreboard < 0) return;
    double& released = warp.released[static_cast<std::size_t>(scoreboard)];
    released = std::max(released, cycle);
  };
  if (step.act != Act::Copy) raise(step.write, done);
  const bool stores = !step.paths.empty() && step.paths.front().cost.write;
  raise(step.read, (stores || options.high ? when.served : when.begun) + pick(step.read_latency));
}

bool takes_jump(WarpState& warp, const ProgramStep& step) {
  if (step.decision == Decision::Always || step.decision == Decision::Never) return step.decision == Decision::Always;
  std::int64_t& count = warp.taken[warp.at];
  const bool last = ++count >= step.trips;
  if (last) count = 0;
  return step.decision == Decision::Trips ? !last : last;
}

}  // namespace warpclock
