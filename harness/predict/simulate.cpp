#include "predict/simulate.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "predict/path_state.hpp"
#include "predict/simulation_state.hpp"

namespace warpclock {
namespace {

constexpr std::int64_t most_issues = 10'000'000;
/// Accesses that wait before a unit of the SM. An assumption, no row has their number: at least five, because
/// `async_copy/issue[bytes=16,cache=ca]` issues 16 copies in 65 cycles, which its stall counts of 4 are, and each
/// occupies the sub-partition's part of the unit for 6.
constexpr std::size_t queue_places = 5;

/// Cycles by which reads of registers may fall behind the issue: one instruction with two registers of one bank does
/// not delay the next, a sequence of them takes 2 cycles each (`issue/banks`).
constexpr double bank_slack = 1;

class Machinery {
 public:
  Machinery(const Program& program, const SimulationOptions& options)
      : program_(program), options_(options), paths_(program) {
    const std::size_t size = program.steps.size();
    result_.steps.resize(size);
    result_.pipe_busy.assign(program.pipes.size(), 0);
    blocks_.resize(static_cast<std::size_t>(options.blocks));
    waiting_blocks_ = std::max<std::int64_t>(0, options.all_blocks - options.blocks);
    for (SubPartitionState& one : parts_) {
      one.pipes.assign(program.pipes.size(), {});
      one.begun.resize(program.units.size());
    }
    for (int w = 0; w < options.blocks * options.block_warps; ++w) {
      warps_.emplace_back(w, w / options.block_warps, size, 0);
      parts_[static_cast<std::size_t>(w) % sub_partitions].warps.push_back(w);
    }
  }

  Expected<Simulation> run() {
    std::int64_t issues = 0;
    std::array<double, sub_partitions> next{};
    for (std::size_t p = 0; p < sub_partitions; ++p) next[p] = soonest(parts_[p]);
    for (;;) {
      const double now = std::ranges::min(next);
      if (now == for_ever) break;
      released_ = false;
      for (std::size_t p = 0; p < sub_partitions; ++p) {
        if (next[p] != now) continue;
        issue(p, choose(parts_[p], now), now);
        next[p] = soonest(parts_[p]);
        if (++issues > most_issues) return fail("predict", "the warps issue more instructions than are simulated");
      }
      // Warps of other sub-partitions go on after a barrier, or begin.
      for (std::size_t p = 0; released_ && p < sub_partitions; ++p) next[p] = soonest(parts_[p]);
    }
    if (std::ranges::any_of(warps_, [](const WarpState& warp) { return !warp.done; }))
      return fail("predict", "the warps wait for each other for ever");
    finish();
    return std::move(result_);
  }

 private:
  [[nodiscard]] double pick(const Bounds& bounds) const { return options_.high ? bounds.high : bounds.low; }

  [[nodiscard]] Earliest of_warp(const WarpState& warp) const {
    Earliest earliest{.cycle = for_ever};
    if (warp.done || warp.in_barrier) return earliest;
    const ProgramStep& step = program_.steps[warp.at];
    earliest = {warp.ready + step.later, Wait::Stall};
    for (std::size_t s = 0; s < warp_scoreboards; ++s) {
      if ((step.wait >> s & 1U) != 0) earliest.no_sooner(warp.released[s], Wait::Scoreboard);
    }
    for (const Older& older : step.older) earliest.no_sooner(warp.issued[older.step] + older.cycles, Wait::Order);
    if (step.act == Act::Await) {
      const auto& groups = warp.groups[static_cast<std::size_t>(step.await)];
      const auto left = static_cast<std::size_t>(step.left);
      if (groups.size() > left) earliest.no_sooner(groups[groups.size() - 1 - left], Wait::Scoreboard);
    }
    return earliest;
  }

  [[nodiscard]] Earliest of_resources(const SubPartitionState& part, const ProgramStep& step, Earliest earliest) const {
    earliest.no_sooner(part.slot, Wait::Slot);
    for (std::size_t bank = 0; bank < step.banks.size(); ++bank) {
      if (step.banks[bank] > 0) earliest.no_sooner(part.banks[bank] - bank_slack, Wait::Bank);
    }
    if (step.unit >= 0) {
      const auto& begun = part.begun[static_cast<std::size_t>(step.unit)];
      if (begun.size() >= queue_places) earliest.no_sooner(begun.front(), Wait::Unit);
    } else if (step.pipe >= 0) {
      const auto& free = part.pipes[static_cast<std::size_t>(step.pipe)];
      earliest.no_sooner(step.either_half ? std::min(free[0], free[1]) : free[0], Wait::Pipe);
    }
    return earliest;
  }

  [[nodiscard]] Earliest earliest(const SubPartitionState& part, const WarpState& warp) const {
    const Earliest own = of_warp(warp);
    return own.cycle == for_ever ? own : of_resources(part, program_.steps[warp.at], own);
  }

  [[nodiscard]] double soonest(const SubPartitionState& part) const {
    double least = for_ever;
    for (const int w : part.warps) least = std::min(least, earliest(part, warps_[static_cast<std::size_t>(w)]).cycle);
    return least == for_ever ? least : std::ceil(least);
  }

  /// Greedy, then the longest waiting: the warp that issued last, unless it yielded; then the one whose last issue is
  /// longest ago. The records do not decide which order the hardware has: of nine, all predicted loops of several warps
  /// with a median error of 4.1 to 4.8 %, this one with 4.2 %.
  [[nodiscard]] WarpState& choose(SubPartitionState& part, double now) {
    WarpState* chosen = nullptr;
    for (const int w : part.warps) {
      WarpState& warp = warps_[static_cast<std::size_t>(w)];
      if (!(earliest(part, warp).cycle <= now)) continue;
      if (w == part.last && !part.yielded) return warp;
      const bool later = chosen == nullptr || chosen->id == part.last || (w != part.last && warp.last < chosen->last);
      if (later) chosen = &warp;
    }
    return chosen != nullptr ? *chosen : warps_.front();
  }

  void issue(std::size_t p, WarpState& warp, double now) {
    SubPartitionState& part = parts_[p];
    const ProgramStep& step = program_.steps[warp.at];
    const std::size_t at = warp.at;
    const Earliest why = earliest(part, warp);
    StepWaits& waits = result_.steps[at];
    ++waits.issues;
    const double stalled = std::clamp(warp.ready - warp.last, 0.0, now - warp.last);
    waits.cycles[static_cast<std::size_t>(Wait::Stall)] += stalled;
    waits.cycles[static_cast<std::size_t>(why.wait)] += now - warp.last - stalled;
    if (result_.events.size() < options_.events)
      result_.events.push_back({warp.id, at, static_cast<std::int64_t>(now), why.wait});
    ++result_.issues[p];
    part.last = warp.id;
    part.yielded = step.yield;
    part.slot = now + 1;
    warp.last = warp.issued[at] = now;
    const double begun = occupy(part, step, now);
    double served = begun;
    for (const PathStep& path : step.paths) served = paths_.pass(path, served, now);
    signal(warp, step, now, begun, served);
    move_on(warp, step, now);
  }

  /// Returns when the pipe or the unit of the SM has begun with it.
  double occupy(SubPartitionState& part, const ProgramStep& step, double now) {
    for (std::size_t bank = 0; bank < step.banks.size(); ++bank)
      part.banks[bank] = std::max(part.banks[bank], now) + step.banks[bank];
    if (step.pipe < 0) return now;
    auto& free = part.pipes[static_cast<std::size_t>(step.pipe)];
    const double busy = pick(step.busy);
    result_.pipe_busy[static_cast<std::size_t>(step.pipe)] += step.either_half ? busy / 2 : busy;
    if (step.unit < 0) {
      // docs/findings.md, "Exact costs of banks and reuse": with an interval of 2, only three registers of one bank
      // cost.
      const double taken = std::max(busy, static_cast<double>(std::ranges::max(step.banks)));
      free[step.either_half && free[1] <= free[0] ? 1 : 0] = now + (step.either_half ? busy : taken);
      return now;
    }
    // The unit serves other sub-partitions while this one's part of it is busy.
    const double begun = std::max(free[0], paths_.take(step.unit, now, pick(step.unit_busy)));
    free[0] = begun + busy;
    auto& queue = part.begun[static_cast<std::size_t>(step.unit)];
    if (queue.size() == queue_places) queue.erase(queue.begin());
    queue.push_back(begun);
    return begun;
  }

  static void commit(std::vector<double>& groups, double done) {
    constexpr std::size_t most_open = 64;
    if (groups.size() == most_open) groups.erase(groups.begin());
    // A group is waited for together with those before it, even if it has no copies.
    groups.push_back(groups.empty() ? done : std::max(done, groups.back()));
  }

  /// Its data come when the last path serves it. Its operands are read when the unit begins with it, or not before the
  /// last path has room: no row says which for loads and copies. For stores the latter predicts `bandwidth/write`.
  void signal(WarpState& warp, const ProgramStep& step, double now, double begun, double served) {
    double done = served + pick(step.latency);
    if (step.act == Act::Copy) warp.copied = std::max(warp.copied, done);
    if (step.act == Act::Commit) {
      done = std::max(now + options_.commit, warp.copied);
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
    raise(step.read, (stores || options_.high ? served : begun) + pick(step.read_latency));
  }

  void move_on(WarpState& warp, const ProgramStep& step, double now) {
    warp.ready = now + step.distance;
    if (step.act == Act::Clock) {
      if (warp.opened < 0) warp.opened = now;
      warp.closed = now;
    }
    if (step.act == Act::Barrier) arrive(warp, now);
    if (step.act == Act::Leave) return leave(warp);
    if (step.act == Act::Jump && taken(warp, step)) {
      warp.ready = now + std::max(step.distance, taken_jump);
      if (!step.target) return leave(warp);
      warp.at = *step.target;
      return;
    }
    if (++warp.at == program_.steps.size()) leave(warp);
  }

  static bool taken(WarpState& warp, const ProgramStep& step) {
    if (step.decision == Decision::Always || step.decision == Decision::Never) return step.decision == Decision::Always;
    std::int64_t& count = warp.taken[warp.at];
    const bool last = ++count >= step.trips;
    if (last) count = 0;
    return step.decision == Decision::Trips ? !last : last;
  }

  void arrive(WarpState& warp, double now) {
    BlockState& block = blocks_[static_cast<std::size_t>(warp.block)];
    barrier_free_ = std::max(barrier_free_, now) + options_.barrier_each;
    block.last = std::max(block.last, barrier_free_);
    ++block.arrived;
    warp.in_barrier = true;
    release(warp.block);
  }

  void leave(WarpState& warp) {
    warp.done = true;
    BlockState& block = blocks_[static_cast<std::size_t>(warp.block)];
    if (++block.left == options_.block_warps && waiting_blocks_ > 0) return begin_next(warp.block, warp.last + 1);
    release(warp.block);
  }

  /// The next block takes the place of one that has ended, at once: no row has the time between them.
  void begin_next(int number, double now) {
    --waiting_blocks_;
    blocks_[static_cast<std::size_t>(number)] = {};
    for (WarpState& warp : warps_) {
      if (warp.block != number) continue;
      const double opened = warp.opened, closed = warp.closed;
      warp = WarpState(warp.id, number, program_.steps.size(), now);
      warp.opened = opened, warp.closed = closed;
    }
    released_ = true;
  }

  /// Lets the warps go on if all that are left have arrived.
  void release(int number) {
    BlockState& block = blocks_[static_cast<std::size_t>(number)];
    if (block.arrived == 0 || block.arrived + block.left < options_.block_warps) return;
    for (WarpState& warp : warps_) {
      if (warp.block != number || !warp.in_barrier) continue;
      warp.in_barrier = false;
      warp.ready = std::max(warp.ready, block.last + options_.barrier_fixed);
    }
    block.arrived = 0;
    block.last = 0;
    released_ = true;
  }

  void finish() {
    double opened = for_ever, closed = -1;
    result_.cycles = paths_.drained();
    result_.unit_busy = paths_.busy();
    for (const WarpState& warp : warps_) {
      result_.cycles = std::max(result_.cycles, warp.last + 1);
      if (warp.opened < 0) continue;
      opened = std::min(opened, warp.opened);
      closed = std::max(closed, warp.closed);
    }
    if (closed >= 0) result_.window = closed - opened;
  }

  const Program& program_;
  const SimulationOptions& options_;
  std::vector<WarpState> warps_;
  std::array<SubPartitionState, sub_partitions> parts_;
  std::vector<BlockState> blocks_;
  PathState paths_;
  double barrier_free_ = 0;
  std::int64_t waiting_blocks_ = 0;
  bool released_ = false;  ///< whether warps of other sub-partitions may go on
  Simulation result_;
};

}  // namespace

Expected<Simulation> simulate(const Program& program, const SimulationOptions& options) {
  return Machinery(program, options).run();
}

}  // namespace warpclock
