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
      if (w / static_cast<int>(sub_partitions) % 2 == 1) warps_.back().at = options.odd_start;
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
        issue(p, warps_[static_cast<std::size_t>(parts_[p].chosen)], now);
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
    earliest = {warp.ready, Wait::Stall};
    for (std::size_t s = 0; s < warp_scoreboards; ++s) {
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

  /// When the second half of the FP32 pipe takes an instruction.
  static double second_half(const SubPartitionState& part, const std::array<double, 2>& free) {
    return std::max(free[1], part.ports[static_cast<std::size_t>(Port::SecondHalf)]);
  }

  /// The tensor core and the load-store unit wait for each other after the warp was chosen, like for registers. With
  /// this the rows between warps (`warps/3 HMMA.16816.F32+1 LDS.128`) come out, and with the others they do not.
  static void wait_for_ports(const SubPartitionState& part, const ProgramStep& step, bool chosen, Earliest& earliest) {
    for (std::size_t port = 0; port < port_count; ++port) {
      const bool after =
          port == static_cast<std::size_t>(Port::Tensor) || port == static_cast<std::size_t>(Port::Queue);
      if (after == chosen && step.occupied.ports[port].waits)
        earliest.no_sooner(part.ports[port] - step.later, Wait::Pipe);
    }
  }

  /// Adds what a warp waits for after it was chosen, while no other warp can be.
  [[nodiscard]] static Earliest dispatched(const SubPartitionState& part, const ProgramStep& step, Earliest earliest) {
    earliest.no_sooner(part.slot, Wait::Slot);
    for (std::size_t bank = 0; bank < step.banks.size(); ++bank) {
      if (step.banks[bank] + step.occupied.reads > 0) earliest.no_sooner(part.banks[bank] - bank_slack, Wait::Bank);
    }
    wait_for_ports(part, step, true, earliest);
    return earliest;
  }

  [[nodiscard]] Earliest of_resources(const SubPartitionState& part, const ProgramStep& step, Earliest earliest) const {
    wait_for_ports(part, step, false, earliest);
    if (step.unit >= 0) {
      const auto& begun = part.begun[static_cast<std::size_t>(step.unit)];
      if (begun.size() >= queue_places) earliest.no_sooner(begun.front(), Wait::Unit);
    } else if (step.pipe >= 0) {
      const auto& free = part.pipes[static_cast<std::size_t>(step.pipe)];
      const double when = step.either_half            ? std::min(free[0], second_half(part, free))
                          : step.occupied.both_halves ? std::max(free[0], free[1])
                                                      : free[0];
      earliest.no_sooner(when - step.occupied.early, Wait::Pipe);
    }
    return earliest;
  }

  /// When a warp may be chosen.
  [[nodiscard]] Earliest eligible(const SubPartitionState& part, const WarpState& warp) const {
    const Earliest own = of_warp(warp);
    return own.cycle == for_ever ? own : of_resources(part, program_.steps[warp.at], own);
  }

  /// Chooses the warp that issues next, and returns when. Greedy, then the youngest: the warp that issued last, if it
  /// may be chosen at once and did not yield; then the last one that may be chosen first.
  [[nodiscard]] double soonest(SubPartitionState& part) {
    const double at_once = part.issued + 1;
    double first = for_ever;
    std::vector<double>& when = when_;
    when.clear();
    for (const int w : part.warps) {
      when.push_back(std::max(at_once, std::ceil(eligible(part, warps_[static_cast<std::size_t>(w)]).cycle)));
      first = std::min(first, when.back());
    }
    if (first == for_ever) return first;
    part.chosen = -1;
    for (std::size_t i = 0; i < when.size(); ++i) {
      if (when[i] > first) continue;
      const int w = part.warps[i];
      if (w == part.last && !part.yielded) {
        part.chosen = w;
        break;
      }
      if (part.chosen < 0 || w != part.last) part.chosen = w;
    }
    const WarpState& warp = warps_[static_cast<std::size_t>(part.chosen)];
    return std::ceil(dispatched(part, program_.steps[warp.at], {first, Wait::Stall}).cycle);
  }

  void issue(std::size_t p, WarpState& warp, double now) {
    SubPartitionState& part = parts_[p];
    const ProgramStep& step = program_.steps[warp.at];
    const std::size_t at = warp.at;
    const Earliest why = dispatched(part, step, eligible(part, warp));
    StepWaits& waits = result_.steps[at];
    ++waits.issues;
    const double stalled = std::clamp(warp.ready - warp.last, 0.0, now - warp.last);
    waits.cycles[static_cast<std::size_t>(Wait::Stall)] += stalled;
    waits.cycles[static_cast<std::size_t>(why.wait)] += now - warp.last - stalled;
    if (result_.events.size() < options_.events)
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
    warp.ready = now + step.distance;
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
  std::vector<double> when_;  // of the warps of a sub-partition
  bool released_ = false;     ///< whether warps of other sub-partitions may go on
  Simulation result_;
};

}  // namespace

Expected<Simulation> simulate(const Program& program, const SimulationOptions& options) {
  return Machinery(program, options).run();
}

}  // namespace warpclock
