#include "predict/run.hpp"

#include <algorithm>
#include <utility>

#include "predict/memory_cost.hpp"

namespace warpclock {
namespace {

/// Trips that are run of a loop with more: an even number, so that what comes again every second trip is seen whole.
constexpr std::int64_t run_trips = 64;

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

class Runner {
 public:
  Runner(const Program& program, SimulationOptions options) : program_(program), options_(options) {}

  /// Cycles of all blocks, of which those of a few times as many as fit are run.
  Expected<Length> length() {
    constexpr std::int64_t half_times = 3, times = 2 * half_times;
    const std::int64_t all = options_.all_blocks, few = half_times * options_.blocks, more = times * options_.blocks;
    if (all <= more) return length(0);
    options_.all_blocks = few;
    const Length half = WARPCLOCK_TRY(length(0));
    options_.all_blocks = more;
    const Length most = WARPCLOCK_TRY(length(0));
    options_.all_blocks = all;
    extrapolated_ = true;
    const double rest = static_cast<double>(all - more) / static_cast<double>(more - few);
    return Length{most.cycles + rest * (most.cycles - half.cycles), most.window + rest * (most.window - half.window)};
  }

  /// Cycles with the trips of all loops, of which each long one from `loop` on is run for fewer.
  Expected<Length> length(std::size_t loop) {
    while (loop < program_.steps.size() && program_.steps[loop].trips <= run_trips) ++loop;
    if (loop == program_.steps.size()) {
      last_ = WARPCLOCK_TRY(simulate(program_, options_));
      return Length{last_.cycles, last_.window};
    }
    const std::int64_t trips = program_.steps[loop].trips;
    program_.steps[loop].trips = run_trips / 2;
    const Length half = WARPCLOCK_TRY(length(loop + 1));
    program_.steps[loop].trips = run_trips;
    const Length more = WARPCLOCK_TRY(length(loop + 1));
    program_.steps[loop].trips = trips;
    extrapolated_ = true;
    const double times = static_cast<double>(trips - run_trips) / (run_trips / 2.0);
    return Length{more.cycles + times * (more.cycles - half.cycles), more.window + times * (more.window - half.window)};
  }

  [[nodiscard]] bool extrapolated() const { return extrapolated_; }
  [[nodiscard]] Simulation last() { return std::move(last_); }

 private:
  Program program_;
  SimulationOptions options_;
  Simulation last_;
  bool extrapolated_ = false;
};

}  // namespace

Expected<Runs> run_program(Program program, const Machine& machine, const Residents& residents, std::size_t events) {
  SimulationOptions options{.block_warps = residents.block_warps,
                            .blocks = residents.blocks,
                            .all_blocks = residents.all_blocks,
                            .events = events};
  add_barrier(options, machine);
  options.commit = commit_cost(machine).commit.value_or(0);
  Runs range;
  Runner low(program, options);
  const Length least = WARPCLOCK_TRY(low.length());
  range.extrapolated = low.extrapolated();
  range.low = low.last();
  Length most = least;
  range.high = range.low;
  if (!program.gaps.empty()) {
    options.high = true;
    Runner high(program, options);
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
