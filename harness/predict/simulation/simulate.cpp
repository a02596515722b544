#include "predict/simulation/simulate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <ranges>
#include <utility>

#include "base/text.hpp"
#include "predict/simulation/code_lines.hpp"
#include "predict/simulation/meetings.hpp"
#include "predict/simulation/path_state.hpp"
#include "predict/simulation/simulation_state.hpp"
#include "predict/simulation/trip_times.hpp"
#include "predict/simulation/used_constants.hpp"

namespace warpclock {
namespace {

class Machinery {
 public:
  Machinery(const Program& program, const SimulationOptions& options)
      : program_(program),
        options_(options),
        meetings_(program, options, warps_),
        code_(options.fetch, last_index(program) + 1),
        constants_(program.constant_missed),
        paths_(program),
        trips_(program.loops, program.steps.size(), static_cast<std::size_t>(options.blocks * options.block_warps)) {
    const std::size_t size = program.steps.size();
    for (const ProgramStep& step : program.steps) needs_.push_back(needs_of(step, program));
    result_.steps.resize(size);
    result_.pipe_busy.assign(program.pipes.size(), 0);
    tensor_ = static_cast<std::size_t>(std::ranges::find(program.pipes, "tensor") - program.pipes.begin());
    waiting_blocks_ = std::max<std::int64_t>(0, options.all_blocks - options.blocks);
    for (SubPartitionState& one : parts_) {
      one.pipes.assign(program.pipes.size(), {});
      one.queues.assign(program.units.size(), access_queue());
      one.queues.push_back(group_queue());
    }
    for (int w = 0; w < options.blocks * options.block_warps; ++w) {
      const int block = w / options.block_warps;
      warps_.emplace_back(w, block, block, size, options.launch.start + block * options.launch.apart + begins_later(w));
      parts_[static_cast<std::size_t>(w) % sub_partitions].warps.push_back(w);
      if (w / static_cast<int>(sub_partitions) % 2 == 1) warps_.back().at = options.odd_start;
      begin(warps_.back());
    }
  }

  Expected<Simulation> run() {
    constexpr std::int64_t looks_at_the_time = 4096;
    std::int64_t issues = 0;
    std::array<double, sub_partitions> next{};
    for (std::size_t p = 0; p < sub_partitions; ++p) next[p] = soonest(parts_[p]);
    while (!stopped_) {
      const double now = std::ranges::min(next);
      if (now == for_ever) break;
      for (std::size_t p = 0; p < sub_partitions; ++p) {
        if (next[p] != now) continue;
        if (issues % looks_at_the_time == 0 && Time::now() > options_.give_up)
          return fail(ErrorCode::Timeout, "it takes longer to simulate than it may: give it more time by --limit");
        issue(p, now);
        next[p] = soonest(parts_[p]);
        stopped_ |= ++issues == options_.all_issues;
        if (issues > most_issues)
          return fail("predict",
                      "the warps issue more than 10 million instructions: there is a loop without an exit, or the "
                      "trips of nested loops are too many");
      }
      // Warps of other sub-partitions go on after a barrier, or begin.
      const bool released = meetings_.take_released();
      for (std::size_t p = 0; released && p < sub_partitions; ++p) next[p] = soonest(parts_[p]);
    }
    if (!stopped_ && std::ranges::any_of(warps_, [](const WarpState& warp) { return !warp.done; }))
      return fail("predict", "the warps wait for each other for ever: " + places_of(warps_, program_) +
                                 ": what decides their jumps, phases or copies is not known or not followed; give "
                                 "the arguments by --arg N=VALUE");
    finish();
    return std::move(result_);
  }

 private:
  [[nodiscard]] double pick(const Bounds& bounds) const { return options_.high ? bounds.high : bounds.low; }

  static std::size_t last_index(const Program& program) {
    std::size_t last = 0;
    for (const ProgramStep& step : program.steps) last = std::max(last, step.index);
    return last;
  }

  /// The warp comes to a step.
  void come(WarpState& warp) {
    if (warp.at >= program_.steps.size()) return;
    const ProgramStep& step = program_.steps[warp.at];
    warp.fetched = code_.ready(step.index, warp.ready);
    if (!step.constants.loads && !step.constants.lines.empty())
      warp.constants = constants_.ready(step.constants, part_of(warp), warp.ready);
  }

  [[nodiscard]] static std::size_t part_of(const WarpState& warp) {
    return static_cast<std::size_t>(warp.id) % sub_partitions;
  }

  void begin(WarpState& warp) {
    warp.of_block = static_cast<std::size_t>(warp.id % options_.block_warps);
    if (program_.streams) {
      const BlockStreams& block = program_.streams->of(warp.age);
      warp.stream.emplace(*block.warps.at(warp.of_block));
      warp.at = warp.stream->at();
    }
    come(warp);
    settle(warp, program_);
  }

  /// When a warp may be chosen.
  [[nodiscard]] Earliest eligible(const SubPartitionState& part, const WarpState& warp) const {
    const StepNeeds& needs = needs_[warp.at];
    Earliest earliest = warp.own;
    wait_for_ports(part, needs, earliest);
    if (needs.queue >= 0) {
      earliest.no_sooner(part.queues[static_cast<std::size_t>(needs.queue)].free(), Wait::Unit);
    } else if (needs.pipe >= 0) {
      const auto& free = part.pipes[static_cast<std::size_t>(needs.pipe)];
      const double when = needs.half == Half::Either ? std::min(free[0], free[1])
                          : needs.half == Half::Both ? std::max(free[0], free[1])
                                                     : free[0];
      earliest.no_sooner(when - needs.early, Wait::Pipe);
    }
    return earliest;
  }

  /// Whether a warp goes before the one that was chosen so far, in the same cycle. Warps that wait for the same queue
  /// take turns. Of those of a block that wait for the XU, the one that issued last goes first.
  [[nodiscard]] bool replaces(const SubPartitionState& part, const WarpState& warp, const WarpState& chosen) const {
    const StepNeeds &its = needs_[warp.at], &of_chosen = needs_[chosen.at];
    if (keeps_tensor_work(part, its, of_chosen)) return true;
    if (waits_like(part, its, of_chosen)) return goes_before(warp, chosen);
    if (its.goes_on && its.pipe == of_chosen.pipe && warp.age == chosen.age) return warp.last > chosen.last;
    return chosen.id != part.last && !keeps_tensor_work(part, of_chosen, its) && goes_before(warp, chosen);
  }

  /// Chooses the warp that issues next, and returns when it does: the warp that issued last, if it may be chosen at
  /// once and did not yield; otherwise the one that may be chosen first, and of several the one that goes before the
  /// others.
  [[nodiscard]] double soonest(SubPartitionState& part) const {
    const double at_once = part.issued + 1;
    const bool again = part.last >= 0 && !warps_[static_cast<std::size_t>(part.last)].yielded;
    double first = for_ever;
    const auto look = [&](int w) {
      const WarpState& warp = warps_[static_cast<std::size_t>(w)];
      // What it shares with others can only make it later.
      if (warp.own.cycle > first || warp.own.cycle == for_ever) return;
      const Earliest why = eligible(part, warp);
      const double when = std::max(at_once, std::ceil(why.cycle));
      if (when == for_ever || when > first) return;
      if (when == first && !replaces(part, warp, warps_[static_cast<std::size_t>(part.chosen)])) return;
      first = when;
      part.chosen = w;
      part.why = why;
    };
    if (again) look(part.last);
    if (first > at_once) {
      for (const int w : part.warps) {
        if (w != part.last) look(w);
      }
      if (part.last >= 0 && !again) look(part.last);
    }
    if (first == for_ever) return first;
    const WarpState& warp = warps_[static_cast<std::size_t>(part.chosen)];
    part.dispatch = dispatched(part, needs_[warp.at], part.why, first, warp.id == part.last ? warp.in_a_row : 0);
    return part.dispatch.why.cycle;
  }

  /// Issues the instruction of the chosen warp.
  void issue(std::size_t p, double now) {
    SubPartitionState& part = parts_[p];
    WarpState& warp = warps_[static_cast<std::size_t>(part.chosen)];
    Earliest why = part.dispatch.why;
    if (std::exchange(warp.woken, false)) why.wait = Wait::Barrier;
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
    trips_.issued(static_cast<std::size_t>(warp.id), at, std::exchange(warp.from, at), now);
    warp.in_a_row = step.yield ? 0 : (part.last == warp.id ? warp.in_a_row : 0) + 1;
    part.last = warp.id;
    part.issued = now;
    warp.yielded = step.yield;
    part.slot = now + std::max(step.later + 1.0, step.occupied.holds_slot ? pick(step.busy) : 0);
    part.take(step, tensor_, now);
    const double begun = occupy(part, step, now);
    now += step.later;
    warp.last = warp.issued[at] = now;
    const double bytes = warp.stream && step.act == Act::Bulk ? warp.stream->copied() : 1;
    double served = in_order(warp, step, serve(warp, step, begun + step.later, now, bytes));
    if (step.constants.loads) served += constants_.ready(step.constants, p, now) - now;
    signal(warp, step, options_, {now, begun + step.later, served});
    move_on(warp, step, now, served + pick(step.latency) + bytes * step.byte_latency);
    if (part.is_beside_multiply(step, now)) warp.ready = std::max(warp.ready, now + beside_multiply_distance);
    settle(warp, program_);
  }

  /// When the paths to memory have served an access that its unit has begun at `begun`.
  double serve(WarpState& warp, const ProgramStep& step, double begun, double now, double times) {
    const DramPlace place = place_of(warp, step);
    for (const PathStep& path : step.paths) begun = paths_.pass(path, begun, now, times, warp.burst, place);
    return begun;
  }

  /// Pages that the warps of a block load from, each time that they come there.
  [[nodiscard]] DramPlace place_of(WarpState& warp, const ProgramStep& step) const {
    if (warp.of_block >= step.pages.size()) return {};
    const auto times = static_cast<std::uint64_t>(warp.times[warp.at]++), block = static_cast<std::uint64_t>(warp.age);
    const std::uint64_t seed = SplitMix64(block << 32 | times).bits(), page = step.pages[warp.of_block];
    return {SplitMix64(seed ^ page).bits() | 1, SplitMix64(~seed ^ late_together(page)).bits() | 1};
  }

  /// Of what L1 lacks, a warp gets nothing before what it asked for earlier; warps do not wait for each other.
  [[nodiscard]] double in_order(WarpState& warp, const ProgramStep& step, double served) const {
    if (step.write < 0 || step.act != Act::None || step.paths.empty() || step.paths.front().cost.write) return served;
    const double latency = pick(step.latency), before = std::max(0.0, warp.returned - latency - served);
    served += step.paths.front().cost.part * before;
    warp.returned = std::max(warp.returned, served + latency);
    return served;
  }

  /// Returns when the pipe or the unit of the SM has begun with it.
  double occupy(SubPartitionState& part, const ProgramStep& step, double now) {
    if (step.pipe < 0) {
      if (step.unit >= 0) paths_.take(step.unit, now, pick(step.unit_busy));
      return now;
    }
    auto& free = part.pipes[static_cast<std::size_t>(step.pipe)];
    double busy = pick(step.busy);
    result_.pipe_busy[static_cast<std::size_t>(step.pipe)] += step.either_half ? busy / 2 : busy;
    if (part.is_beside_multiply(step, now)) busy = std::max(busy, step.occupied.beside_multiply);
    if (multiplies(step)) {
      const double begun = std::max(now, free[0]);
      part.multiplying = free[0] = paths_.multiply(now, begun, busy, step.operand_turns);
      part.ports[static_cast<std::size_t>(Port::Wide)] = free[0] + multiply_to_wide;
      part.queues.back().enter(begun);
      return begun;
    }
    if (step.unit < 0) {
      if (step.either_half && free[1] <= now) {
        free[1] = now + busy;
        return now;
      }
      free[0] = std::max(now, free[0]) + busy;
      if (step.occupied.both_halves) free[1] = free[0];
      return now;
    }
    // The unit serves other sub-partitions while this one's part of it is busy.
    const double begun = std::max(free[0], paths_.take(step.unit, now, pick(step.unit_busy), step.writes));
    free[0] = begun + busy;
    part.queues[static_cast<std::size_t>(step.unit)].enter(begun);
    return begun;
  }

  void move_on(WarpState& warp, const ProgramStep& step, double now, double copied) {
    warp.ready = now + step.distance;
    if (step.act == Act::Clock) {
      if (warp.opened < 0) warp.opened = now;
      warp.closed = now;
    }
    meetings_.meet(warp, step, now, copied);
    const auto next = meetings_.next_of(warp, step);
    if (step.act == Act::Jump && next != warp.at + 1) {
      warp.ready = now + std::max(step.distance, taken_jump);
      warp.in_a_row = 0;
    }
    if (!next || *next >= program_.steps.size()) return leave(warp);
    warp.at = *next;
    come(warp);
  }

  void leave(WarpState& warp) {
    stopped_ |= warp.stream && warp.stream->is_cut();
    warp.done = true;
    if (!meetings_.leave(warp)) return;
    taken_back_ = std::max(warp.last + 1, taken_back_ + options_.launch.refill);
    if (waiting_blocks_ > 0) begin_next(warp.block, taken_back_ + options_.launch.next);
  }

  /// The warps of a block begin one after the other: `synchronization/launch_blocks`, where a block begins 19, 33, 59
  /// and 110 cycles after one of 4, 8, 16 and 32 warps.
  [[nodiscard]] double begins_later(int warp) const {
    return options_.launch.apart * (warp % options_.block_warps) / options_.block_warps;
  }

  /// The next block takes the place of one that has ended.
  void begin_next(int number, double now) {
    const std::int64_t age = options_.all_blocks - waiting_blocks_--;
    meetings_.begin(number);
    for (WarpState& warp : warps_) {
      if (warp.block != number) continue;
      const double opened = warp.opened, closed = warp.closed;
      warp = WarpState(warp.id, number, age, program_.steps.size(), now + begins_later(warp.id));
      warp.opened = opened, warp.closed = closed;
      begin(warp);
    }
  }

  void finish() {
    double opened = for_ever, closed = -1;
    double ended = 0;
    result_.unit_busy = paths_.busy();
    result_.held = paths_.held();
    result_.trips = trips_.cycles();
    for (const WarpState& warp : warps_) {
      ended = std::max(ended, warp.last + 1);
      if (warp.opened < 0) continue;
      opened = std::min(opened, warp.opened);
      closed = std::max(closed, warp.closed);
    }
    if (closed >= 0) result_.window = closed - opened;
    result_.cycles = std::max(ended, paths_.drained());
    const double stored = paths_.drained() > 0 ? paths_.drained() + options_.launch.stored : 0;
    result_.drain = std::max({stored, std::max(ended, taken_back_) + options_.launch.skew}) - result_.cycles;
    result_.drain = std::max({0.0, result_.drain, paths_.reduced() - result_.cycles});
  }

  const Program& program_;
  const SimulationOptions& options_;
  std::vector<StepNeeds> needs_;  ///< of each step
  std::vector<WarpState> warps_;
  std::array<SubPartitionState, sub_partitions> parts_;
  Simulation result_;
  Meetings meetings_;
  CodeLines code_;
  UsedConstants constants_;
  PathState paths_;
  TripTimes trips_;
  bool stopped_ = false;
  std::int64_t waiting_blocks_ = 0;
  double taken_back_ = 0;   ///< when the GPU has last seen a block of the SM end
  std::size_t tensor_ = 0;  ///< in Program::pipes
};

}  // namespace

Expected<Simulation> simulate(const Program& program, const SimulationOptions& options) {
  return Machinery(program, options).run();
}

}  // namespace warpclock
