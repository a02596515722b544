#include "predict/simulation/run.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "predict/meeting/block_streams.hpp"
#include "predict/program/memory_cost.hpp"

namespace warpclock {
namespace {

/// Trips that are run of a loop with more: an even number, so that what comes again every second trip is seen whole.
constexpr std::int64_t fewest_trips = 4;

/// How many times as many blocks are run as an SM holds, of a launch with more.
constexpr std::int64_t half_times = 3, times = 2 * half_times;

/// Instructions that one simulation issues, unless even the fewest trips take more.
constexpr double issues_at_once = 4e6;

/// The same of the streams of the blocks that an SM holds. Of longer ones, half as many are simulated.
constexpr double issues_of_streams = 1e6;

/// BAR.SYNC takes a fixed time and so many cycles for each warp: the rows of one warp and of 32.
void add_barrier(SimulationOptions& options, const Machine& machine) {
  const Leaf* one = find_leaf(machine, "synchronization/bar.sync.warps_1/cycles");
  const Leaf* many = find_leaf(machine, "synchronization/bar.sync.warps_32/cycles");
  if (one == nullptr || many == nullptr) return;
  options.barrier_each = (many->value - one->value) / 31;
  options.barrier_fixed = one->value - options.barrier_each;
}

struct Length {
  double cycles = 0, window = 0;
};

/// A loop, by its steps.
struct StepLoop {
  std::size_t first = 0, last = 0, jump = 0;
  std::int64_t trips = 0;

  [[nodiscard]] bool holds(const StepLoop& other) const {
    return jump != other.jump && first <= other.first && other.last <= last;
  }
};

/// Where the jump leaves the loop, the next jump back over it closes the loop.
StepLoop loop_of(const Program& program, std::size_t jump) {
  const ProgramStep& step = program.steps[jump];
  if (step.decision == Decision::Trips) return {step.target.value_or(jump), jump, jump, step.trips};
  for (std::size_t last = jump + 1; last < program.steps.size(); ++last) {
    const ProgramStep& back = program.steps[last];
    if (back.decision == Decision::Always && back.target && *back.target <= jump)
      return {*back.target, last, jump, step.trips};
  }
  return {jump, jump, jump, step.trips};
}

std::vector<StepLoop> loops_of(const Program& program) {
  std::vector<StepLoop> loops;
  for (std::size_t i = 0; i < program.steps.size(); ++i) {
    if (program.steps[i].trips > 1) loops.push_back(loop_of(program, i));
  }
  return loops;
}

/// Instructions that a warp issues if no loop has more trips than these.
double issues_of(const Program& program, const std::vector<StepLoop>& loops, std::int64_t most_trips) {
  // Logarithms, because the trips of deeply nested loops multiply beyond what a number holds.
  std::vector<double> changes(program.steps.size() + 1, 0);
  for (const StepLoop& loop : loops) {
    if (loop.first > loop.last) continue;
    const double trips = std::log2(static_cast<double>(std::min(loop.trips, most_trips)));
    changes[loop.first] += trips;
    changes[loop.last + 1] -= trips;
  }
  double sum = 0, power = 0;
  for (std::size_t i = 0; i < program.steps.size(); ++i) sum += std::exp2(power += changes[i]);
  return sum;
}

class Runner {
 public:
  Runner(const Program& program, SimulationOptions options, const Residents& residents)
      : program_(program),
        options_(options),
        all_issues_(residents.issues),
        loops_(loops_of(program)),
        run_trips_(residents.run_trips) {
    while (run_trips_ > fewest_trips && !fits()) run_trips_ /= 2;
    shares_alone_ = residents.shares_alone && run_trips_ < Residents().run_trips;
    std::erase_if(loops_, [&](const StepLoop& loop) { return loop.trips <= run_trips_; });
    for (const StepLoop& loop : loops_) program_.steps[loop.jump].trips = run_trips_;
    extrapolated_ = !loops_.empty();
  }

  /// Cycles of all blocks, of which those of a few times as many as fit are run. Later blocks do not find what L2 has
  /// to write back at the start.
  Expected<Length> length() {
    if (program_.streams && !fits_whole()) return begun();
    const std::int64_t all = options_.all_blocks, few = half_times * options_.blocks, more = times * options_.blocks;
    if (all <= more) return with_loops();
    extrapolated_ = true;
    options_.all_blocks = more;
    std::optional<Length> begun;
    const double before = program_.memory.held_before;
    if (before > 0) begun = WARPCLOCK_TRY(with_loops());
    const double held = begun ? last_.held : 0;
    program_.memory.held_before = 0;
    options_.all_blocks = few;
    const Length half = WARPCLOCK_TRY(with_loops());
    const ResourceUse of_half = use_;
    options_.all_blocks = more;
    const Length most = WARPCLOCK_TRY(with_loops());
    options_.all_blocks = all, program_.memory.held_before = before;
    const double rest = static_cast<double>(all - more) / static_cast<double>(more - few);
    const double cycles = rest * (most.cycles - half.cycles);
    const Length first = begun.value_or(most);
    const double late = cycles_behind(held - last_.held, cycles, rest, of_half);
    return Length{first.cycles + cycles + late, first.window + rest * (most.window - half.window) + late};
  }

  /// Cycles with the trips of all loops, of which each long one is run for fewer. What a loop adds is linear in its
  /// trips and in those of the loops around it.
  Expected<Length> with_loops() {
    last_ = WARPCLOCK_TRY(simulate(program_, options_));
    take_use();
    Length all{last_.cycles, last_.window};
    if (shares_alone_ || loops_.empty()) return all;
    for (const StepLoop& loop : loops_) {
      auto more = static_cast<double>(loop.trips - run_trips_);
      for (const StepLoop& around : loops_) {
        if (around.holds(loop)) more *= static_cast<double>(around.trips) / static_cast<double>(run_trips_);
      }
      WARPCLOCK_TRY(add_trips(all, loop, more));
    }
    return all;
  }

  [[nodiscard]] bool extrapolated() const { return extrapolated_; }
  [[nodiscard]] std::int64_t run_trips() const { return run_trips_; }
  [[nodiscard]] double part_begun() const { return part_begun_; }
  [[nodiscard]] const ResourceUse& use() const { return use_; }
  [[nodiscard]] Simulation last() { return std::move(last_); }

 private:
  /// What writing back so many bytes adds to blocks that take these cycles, `rest` times those by which `use_` and
  /// `of_half` differ: DRAM does it while it has nothing else to do.
  [[nodiscard]] double cycles_behind(double bytes, double cycles, double rest, const ResourceUse& of_half) const {
    const auto unit = std::ranges::find(program_.units, "DRAM");
    if (bytes <= 0 || unit == program_.units.end()) return 0;
    const auto i = static_cast<std::size_t>(unit - program_.units.begin());
    const double idle = cycles - rest * (use_.unit_busy[i] - of_half.unit_busy[i]);
    return std::max(0.0, bytes * program_.memory.written_back - std::max(0.0, idle));
  }

  void take_use() {
    use_ = {last_.cycles, last_.pipe_busy, last_.unit_busy, {last_.issues.begin(), last_.issues.end()}, last_.steps};
    use_.blocks = static_cast<double>(std::max<std::int64_t>(options_.all_blocks, options_.blocks));
  }

  /// Whether the streams of a few times as many blocks as fit are not too long.
  [[nodiscard]] bool fits_whole() const {
    const std::int64_t blocks = std::clamp<std::int64_t>(options_.all_blocks, options_.blocks, times * options_.blocks);
    const double each = program_.streams->instructions();
    return !program_.streams->are_cut() && each * options_.blocks <= issues_of_streams &&
           each * static_cast<double>(blocks) <= issues_at_once;
  }

  /// Cycles by the begin of the streams: what is left goes on as its second half did.
  Expected<Length> begun() {
    extrapolated_ = true;
    options_.all_issues = static_cast<std::int64_t>(issues_of_streams / 2);
    last_ = WARPCLOCK_TRY(simulate(program_, options_));
    take_use();
    const auto issued = [](const Simulation& one) {
      return std::accumulate(one.issues.begin(), one.issues.end(), std::int64_t{0});
    };
    options_.all_issues = issued(last_) / 2;
    const Simulation half = WARPCLOCK_TRY(simulate(program_, options_));
    const std::int64_t blocks = std::max<std::int64_t>(options_.all_blocks, options_.blocks);
    const auto whole = std::llround(program_.streams->instructions() * static_cast<double>(blocks));
    const std::int64_t left = whole - issued(last_);
    part_begun_ = static_cast<double>(issued(last_)) / static_cast<double>(whole);
    Length all{last_.cycles, last_.window};
    extend(all, last_, half, static_cast<double>(left) / static_cast<double>(issued(last_) - issued(half)));
    return all;
  }

  /// Adds what so many trips more of a loop take, by half as many trips as were run.
  Expected<void> add_trips(Length& all, const StepLoop& loop, double more) {
    // What L2 has to write back at the start is gone by then, if it is after the trips that were run.
    const double before = program_.memory.held_before;
    constexpr double rest = 0.01;
    const bool again = before > 0 && last_.held < rest * before;
    if (again) program_.memory.held_before = 0;
    std::optional<Simulation> clean;
    if (again) clean = WARPCLOCK_TRY(simulate(program_, options_));
    const Simulation& whole = clean ? *clean : last_;
    program_.steps[loop.jump].trips = run_trips_ / 2;
    const Simulation half = WARPCLOCK_TRY(simulate(program_, options_));
    program_.steps[loop.jump].trips = run_trips_;
    program_.memory.held_before = before;
    extend(all, whole, half, more / (static_cast<double>(run_trips_) / 2));
    return {};
  }

  /// Atomic accesses that go on in L2 delay nothing at first, but there are no more of them under way in the end.
  [[nodiscard]] double in_l2(const Simulation& run) const {
    const auto unit = std::ranges::find(program_.units, "L2 atomics");
    return unit == program_.units.end() ? 0 : run.unit_busy[static_cast<std::size_t>(unit - program_.units.begin())];
  }

  /// Adds what `whole` has beyond `half`, so many times.
  void extend(Length& all, const Simulation& whole, const Simulation& half, double repeats) {
    const double cycles = std::max(whole.cycles - half.cycles, in_l2(whole) - in_l2(half));
    all.cycles += repeats * cycles;
    all.window += repeats * (whole.window - half.window);
    use_.cycles += repeats * cycles;
    const auto grow = [&](auto& sums, const auto& all_trips, const auto& part) {
      for (std::size_t i = 0; i < sums.size(); ++i)
        sums[i] += repeats * (static_cast<double>(all_trips[i]) - static_cast<double>(part[i]));
    };
    grow(use_.pipe_busy, whole.pipe_busy, half.pipe_busy);
    grow(use_.unit_busy, whole.unit_busy, half.unit_busy);
    grow(use_.issues, whole.issues, half.issues);
    for (std::size_t i = 0; i < use_.steps.size(); ++i) {
      const auto more = static_cast<double>(whole.steps[i].issues - half.steps[i].issues);
      use_.steps[i].issues += std::llround(repeats * more);
      grow(use_.steps[i].cycles, whole.steps[i].cycles, half.steps[i].cycles);
    }
  }

  /// Whether the simulations with so many trips are not too long.
  [[nodiscard]] bool fits() const {
    const double issues =
        issues_of(program_, loops_, run_trips_) * static_cast<double>(options_.block_warps) * options_.blocks;
    const auto rounds = static_cast<double>(std::clamp<std::int64_t>(options_.all_blocks / options_.blocks, 1, times));
    const auto longer = std::ranges::count_if(loops_, [&](const StepLoop& loop) { return loop.trips > run_trips_; });
    return issues <= issues_at_once && issues * rounds <= static_cast<double>(most_issues) &&
           issues * static_cast<double>(1 + longer) <= all_issues_;
  }

  Program program_;
  SimulationOptions options_;
  double all_issues_ = 0;
  std::vector<StepLoop> loops_;  ///< that have more trips than are run
  std::int64_t run_trips_ = 0;
  bool shares_alone_ = false;
  Simulation last_;
  ResourceUse use_;
  bool extrapolated_ = false;
  double part_begun_ = 1;
};

}  // namespace

Expected<Runs> run_program(Program program, const Machine& machine, const Residents& residents, std::size_t events,
                           double events_from) {
  SimulationOptions options{.block_warps = residents.block_warps,
                            .blocks = residents.blocks,
                            .all_blocks = residents.all_blocks,
                            .events = events,
                            .events_from = events_from,
                            .launch = residents.launch,
                            .fetch = residents.fetch,
                            .give_up = residents.give_up};
  add_barrier(options, machine);
  options.commit = commit_cost(machine).commit.value_or(0);
  const ArrivalCost arrival = arrival_cost(machine);
  options.woken = arrival.woken, options.found = arrival.found;
  Runs range;
  Runner low(program, options, residents);
  const Length least = WARPCLOCK_TRY(low.length());
  range.extrapolated = low.extrapolated();
  range.run_trips = low.run_trips();
  range.begun = low.part_begun();
  range.use = low.use();
  range.low = low.last();
  Length most = least;
  range.high = range.low;
  if (!program.gaps.empty()) {
    options.high = true;
    Runner high(program, options, residents);
    most = WARPCLOCK_TRY(high.length());
    range.high = high.last();
  }
  // Where warps compete, a longer latency may give a better order.
  range.cycles = {std::min(least.cycles, most.cycles), std::max(least.cycles, most.cycles)};
  range.window = {std::min(least.window, most.window), std::max(least.window, most.window)};
  range.program = std::move(program);
  return range;
}

}  // namespace warpclock
