#include "predict/simulate.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <ranges>

#include "predict/path_state.hpp"
#include "predict/simulation_state.hpp"

namespace warpclock {
namespace {

/// Accesses that wait before a unit of the SM. An assumption, no row has their number: at least five, because
/// `async_copy/issue[bytes=16,cache=ca]` issues 16 copies in 65 cycles, which its stall counts of 4 are, and each
/// occupies the sub-partition's part of the unit for 6.
constexpr std::size_t queue_places = 5;

class Machinery {
 public:
  Machinery(const Program& program, const SimulationOptions& options)
      : program_(program), options_(options), paths_(program) {
    const std::size_t size = program.steps.size();
    for (const ProgramStep& step : program.steps) needs_.push_back(needs_of(step));
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
      if (w / static_cast<int>(sub_partitions) % 2 == 1) warps_.back().at = options.odd_start;
      settle(warps_.back());
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
        issue(p, now);
        next[p] = soonest(parts_[p]);
        if (++issues > most_issues)
          return fail("predict",
                      "the warps issue more than 10 million instructions: there is a loop without an exit, or the "
                      "trips of nested loops are too many");
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

  void settle(WarpState& warp) const {
    warp.own = warp.done || warp.in_barrier ? Earliest() : earliest_of(warp, program_.steps[warp.at]);
  }

  /// When the second half of the FP32 pipe takes an instruction.
  static double second_half(const SubPartitionState& part, const std::array<double, 2>& free) {
    return std::max(free[1], part.ports[static_cast<std::size_t>(Port::SecondHalf)]);
  }

  /// When a warp may be chosen.
  [[nodiscard]] Earliest eligible(const SubPartitionState& part, const WarpState& warp) const {
    const StepNeeds& needs = needs_[warp.at];
    Earliest earliest = warp.own;
    wait_for_ports(part, needs, false, earliest);
    if (needs.unit >= 0) {
      const auto& begun = part.begun[static_cast<std::size_t>(needs.unit)];
      if (begun.size() >= queue_places) earliest.no_sooner(begun.front(), Wait::Unit);
    } else if (needs.pipe >= 0) {
      const auto& free = part.pipes[static_cast<std::size_t>(needs.pipe)];
      const double when = needs.half == Half::Either ? std::min(free[0], second_half(part, free))
                          : needs.half == Half::Both ? std::max(free[0], free[1])
                                                     : free[0];
      earliest.no_sooner(when - needs.early, Wait::Pipe);
    }
    return earliest;
  }

  /// Chooses the warp that issues next, and returns when it does. Greedy, then the oldest: the warp that issued last,
  /// if it may be chosen at once and did not yield; then the oldest of those that may be chosen first.
  [[nodiscard]] double soonest(SubPartitionState& part) const {
    const double at_once = part.issued + 1;
    double first = for_ever;
    const auto look = [&](int w, bool wins_ties) {
      const WarpState& warp = warps_[static_cast<std::size_t>(w)];
      // What it shares with others can only make it later.
      if (warp.own.cycle > first || warp.own.cycle == for_ever) return;
      const Earliest why = eligible(part, warp);
      const double when = std::max(at_once, std::ceil(why.cycle));
      if (when == for_ever || when > first || (when == first && !wins_ties)) return;
      first = when;
      part.chosen = w;
      part.why = why;
    };
    if (part.last >= 0 && !part.yielded) look(part.last, true);
    for (const int w : part.warps) {
      if (first <= at_once) break;
      if (w != part.last) look(w, false);
    }
    if (part.last >= 0 && part.yielded) look(part.last, false);
    if (first == for_ever) return first;
    const WarpState& warp = warps_[static_cast<std::size_t>(part.chosen)];
    part.why = dispatched(part, needs_[warp.at], part.why);
    return std::max(first, std::ceil(part.why.cycle));
  }

  /// Issues the instruction of the chosen warp.
  void issue(std::size_t p, double now) {
    SubPartitionState& part = parts_[p];
    WarpState& warp = warps_[static_cast<std::size_t>(part.chosen)];
    const Earliest why = part.why;
    const ProgramStep& step = program_.steps[warp.at];
    const std::size_t at = warp.at;
    StepWaits& waits = result_.steps[at];
    ++waits.issues;
    const double stalled = std::clamp(warp.ready - warp.last, 0.0, now - warp.last);
    waits.cycles[static_cast<std::size_t>(Wait::Stall)] += stalled;
    waits.cycles[static_cast<std::size_t>(why.wait)] += now - warp.last - stalled;
    if (result_.events.size() < options_.events && now >= options_.events_from)
      result_.events.push_back({warp.id, at, static_cast<std::int64_t>(now), why.wait});
    ++result_.issues[p];
    part.last = warp.id;
    part.issued = now;
    part.yielded = step.yield;
    part.slot = now + (step.occupied.holds_slot ? std::max(pick(step.busy), step.later + 1.0) : 1);
    const double begun = occupy(part, step, now);
    now += step.later;
    warp.last = warp.issued[at] = now;
    double served = begun + step.later;
    for (const PathStep& path : step.paths) served = paths_.pass(path, served, now);
    signal(warp, step, options_, {now, begun + step.later, served});
    move_on(warp, step, now);
    settle(warp);
  }

  /// Returns when the pipe or the unit of the SM has begun with it.
  double occupy(SubPartitionState& part, const ProgramStep& step, double now) {
    for (std::size_t bank = 0; bank < step.banks.size(); ++bank)
      part.banks[bank] = std::max(part.banks[bank], now) + step.banks[bank] + step.occupied.reads;
    for (std::size_t port = 0; port < port_count; ++port) {
      const double holds = step.occupied.ports[port].holds;
      double& free = part.ports[port];
      if (holds > 0) free = step.occupied.ports[port].adds ? std::max(free, now) + holds : std::max(free, now + holds);
    }
    if (step.pipe < 0) return now;
    auto& free = part.pipes[static_cast<std::size_t>(step.pipe)];
    const double busy = pick(step.busy);
    result_.pipe_busy[static_cast<std::size_t>(step.pipe)] += step.either_half ? busy / 2 : busy;
    if (step.unit < 0) {
      // docs/findings.md, "Exact costs of banks and reuse": with an interval of 2, only three registers of one bank
      // cost.
      const double taken = std::max(busy, static_cast<double>(std::ranges::max(step.banks)));
      if (step.either_half && second_half(part, free) <= now) {
        part.ports[static_cast<std::size_t>(Port::SecondHalf)] = free[1] = now + busy;
        return now;
      }
      free[0] = std::max(now, free[0]) + (step.either_half ? busy : taken);
      if (step.occupied.both_halves) free[1] = free[0];
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

  void move_on(WarpState& warp, const ProgramStep& step, double now) {
    warp.ready = now + std::max(step.distance, step.occupied.own_warp);
    if (step.act == Act::Clock) {
      if (warp.opened < 0) warp.opened = now;
      warp.closed = now;
    }
    if (step.act == Act::Barrier) arrive(warp, now);
    if (step.act == Act::Leave) return leave(warp);
    if (step.act == Act::Jump && takes_jump(warp, step)) {
      warp.ready = now + std::max(step.distance, taken_jump);
      if (!step.target) return leave(warp);
      warp.at = *step.target;
      return;
    }
    if (++warp.at == program_.steps.size()) leave(warp);
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
      settle(warp);
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
      settle(warp);
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
  std::vector<StepNeeds> needs_;  ///< of each step
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
