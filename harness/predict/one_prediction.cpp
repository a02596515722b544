#include "predict/one_prediction.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <numeric>
#include <tuple>
#include <utility>

#include "base/lookup.hpp"
#include "base/text.hpp"
#include "inspect/inspect.hpp"
#include "predict/kernel_energy.hpp"
#include "predict/kernel_loops.hpp"
#include "predict/limits.hpp"
#include "predict/memory/memory_plan.hpp"
#include "predict/missing.hpp"
#include "predict/program/l2_laps.hpp"
#include "predict/simulation/run.hpp"
#include "predict/tensor_clock.hpp"

namespace warpclock {
namespace {

class Predictor {
 public:
  Predictor(const LoadedKernel& kernel, const Machine& machine, const PredictOptions& options,
            const PreparedKernel& prepared, const Assumptions& assumptions)
      : kernel_(kernel),
        machine_(machine),
        costs_(machine),
        lost_of_lap_(lost_of_laps(machine)),
        options_(options),
        prepared_(prepared),
        assumptions_(assumptions),
        place_(prepared.place),
        path_(prepared.path) {}

  Expected<OnePrediction> run() {
    describe_launch();
    WARPCLOCK_TRY(find_memory());
    assume_laps();
    WARPCLOCK_TRY(find_range());
    streams_ = assumptions_.open == OpenWay::On ? prepared_.streams : recorded_streams(kernel_, prepared_, path_, true);
    WARPCLOCK_TRY(add_cycles());
    if (!streams_)
      out_.loops.clear(), out_.missing = {{-1, streams_.error().message(),
                                           "give the arguments by --arg N=VALUE, or measure it by `warpclock check`"}};
    return std::move(made_);
  }

  /// The cycles of a block alone.
  Expected<Bounds> run_alone() {
    WARPCLOCK_TRY(find_memory());
    WARPCLOCK_TRY(find_range());
    if (!prepared_.streams) return std::unexpected(prepared_.streams.error());
    streams_ = prepared_.streams;
    Residents block{.block_warps = place_.block_warps(), .fetch = fetch_cost(machine_, options_.cold_code)};
    block.give_up = assumptions_.give_up;
    return WARPCLOCK_TRY(run_with(program_options(), block)).cycles;
  }

 private:
  [[nodiscard]] std::int64_t address(std::size_t index) const {
    return static_cast<std::int64_t>(kernel_.listing.instructions[index].address);
  }

  void describe_launch() {
    out_.kernel = kernel_.listing.kernel;
    out_.readable = readable_name(out_.kernel);
    out_.gpu = machine_.gpu, out_.arch = machine_.arch;
    out_.window = options_.window;
    note_placement(place_, out_);
  }

  /// The blocks of the SM that has most; all of them, or only those that it holds at once.
  [[nodiscard]] Residents residents(bool at_once = false) const {
    const std::int64_t each = place_.blocks_of_sm();
    Residents made{place_.block_warps(), static_cast<int>(std::min<std::int64_t>(each, place_.blocks_per_sm))};
    if (!at_once && !options_.window) made.all_blocks = each;
    constexpr double of_kernel = 20e6;
    made.issues = std::min(made.issues, of_kernel / static_cast<double>(path_.loops.size() + 1));
    made.give_up = assumptions_.give_up;
    return made;
  }

  Expected<void> find_memory() {
    const ExecutedKernel& executed = path_.executed;
    auto memory = WARPCLOCK_TRY(launch_memory(kernel_, options_, prepared_, assumptions_.level, assumptions_.apart));
    known_ = std::move(memory.known), memory_ = std::move(memory.plan);
    find_level();
    made_.lanes = memory_.unknown, out_.assumed = memory_.assumed;
    std::ranges::copy(options_.assumed, std::back_inserter(out_.assumed));
    for (const std::size_t atomic : executed.counters)
      out_.assumed.push_back(
          "blocks that run at once read a counter in turns, which begins with 0 if its buffer is not known: " +
          place_of(kernel_, atomic));
    if (!executed.missing.empty()) out_.assumed.push_back("not executed: " + executed.missing);
    return {};
  }

  /// Which level answers, if the user or the sizes of all buffers say it.
  void find_level() {
    if (!memory_.asks_level) return;
    const AccessedBuffers buffers = accessed(all_executions());
    const std::string why =
        options_.level ? options_.level_from : take_level_of_buffers(memory_, machine_, sum_of(buffers).bytes, known_);
    made_.asks_level = !options_.level && why.empty();
    if (!made_.asks_level) out_.level = to_string(known_.level) + " answers" + (why.empty() ? "" : ", by " + why);
    const AbsentBytes absent(buffers, options_.in_l2);
    if (known_.level == MemoryLevel::L2 && absent.most() > 0)
      out_.level +=
          fmt::format(", but for {}, which DRAM answers", human_bytes(static_cast<std::uint64_t>(absent.bytes())));
    made_.unsized.assign(memory_.unsized.begin(), memory_.unsized.end());
  }

  [[nodiscard]] AccessedBuffers accessed(const std::map<std::size_t, double>& times) const {
    return accessed_buffers(kernel_.listing, memory_, known_, times);
  }
  [[nodiscard]] std::map<std::size_t, double> all_executions() const {
    return executions_of(kernel_, place_, path_, memory_);
  }

  /// The part of the listing that is predicted.
  Expected<void> find_range() {
    end_ = kernel_.listing.instructions.size();
    // Streams begin with the kernel; their simulation says when it reads the clock.
    if (!options_.window || (prepared_.streams && *prepared_.streams != nullptr)) return {};
    std::tie(first_, end_) = WARPCLOCK_TRY(window_of(kernel_.listing));
    std::erase_if(path_.loops, [&](const KernelLoop& loop) { return loop.header < first_ || loop.jump >= end_; });
    return {};
  }

  /// What L2 has no room for, unless that is said of it, or no longer has when the launch begins.
  void ask_dram(ProgramOptions& how, const std::map<std::size_t, double>& times) const {
    if (known_.level != MemoryLevel::L2) return;
    const AccessedBuffers buffers = accessed(times);
    const double beyond =
        options_.level_has_room ? 0 : lost_of_l2(sum_of(buffers).bytes, static_cast<double>(machine_.stated.l2_bytes));
    const AbsentBytes absent(buffers, options_.in_l2);
    if (const double most = std::max(beyond, absent.most()); most > 0) how.absent = most;
    for (const auto& [index, pattern] : memory_.patterns) {
      const double before = is_global(kernel_.listing.instructions[index]) ? absent.of(pattern.argument) : 0;
      const double part = std::max(how.parts.contains(index) ? beyond : 0, before);
      if (part > 0 && how.hits.emplace(index, MemoryLevel::Dram).second)
        how.parts.try_emplace(index, 1).first->second *= part;
    }
  }

  [[nodiscard]] std::map<std::size_t, double> parts_of_dram(const std::map<std::size_t, double>& times,
                                                            std::function<double(double)> lost_of_lap) const {
    const auto at_once = static_cast<double>(place_.blocks_at_once());
    return warpclock::parts_of_dram(kernel_.listing, memory_, known_, times,
                                    {.bytes = static_cast<double>(machine_.stated.l2_bytes),
                                     .blocks = at_once,
                                     .waves = static_cast<double>(place_.blocks) / at_once,
                                     .lost_of_lap = std::move(lost_of_lap)});
  }

  /// Where the GPU has no rows for what waves load again.
  void assume_laps() {
    if (lost_of_lap_) return;
    const auto times = all_executions();
    if (parts_of_dram(times, [](double) { return 1.0; }) != parts_of_dram(times, {}))
      out_.assumed.push_back("what the blocks of a wave load together is still in L2 for those of the next one");
  }

  [[nodiscard]] ProgramOptions program_options() const {
    // A window is measured again and again.
    ProgramOptions how{.first = first_, .end = end_, .begins = !options_.window};
    how.level = known_.level;
    how.hits = memory_.hits;
    how.patterns = memory_.patterns;
    how.constants = path_.executed.constants;
    const auto times = all_executions();
    how.parts = parts_of_dram(times, lost_of_lap_);
    ask_dram(how, times);
    how.use.share = static_cast<double>(place_.blocks) / static_cast<double>(place_.blocks_of_sm() * place_.sms);
    how.use.clock = clock_;
    how.use.blocks = residents().blocks;
    how.use.resident = std::min(1.0, how.use.blocks * place_.sms / static_cast<double>(place_.blocks));
    how.use.at_once = !options_.window && place_.blocks_of_sm() <= place_.blocks_per_sm;
    how.use.local_bytes = static_cast<double>(kernel_.facts.stack_bytes) * place_.threads * how.use.blocks;
    how.use.l1_bytes = place_.l1_bytes;
    how.held_before = options_.held_before, how.stored_before = options_.stored_before;
    how.stored_apart = options_.stored_apart;
    how.streams = *streams_;
    how.taken = path_.taken;
    how.aside = path_.aside;
    for (const auto& [jump, taken] : path_.by_loops) {
      if (!how.taken.contains(jump)) how.followed.emplace(jump, taken);
    }
    for (const std::size_t jump : path_.open)
      if (assumptions_.open == OpenWay::Over) how.taken[jump] = {1};
    for (const KernelLoop& loop : path_.loops) {
      if (loop.decided) how.trips[loop.jump] = loop.trips.value_or(1);
      if (loop.decided && !loop.of_warps.empty()) how.of_warps[loop.jump] = loop.of_warps;
      for (const std::size_t jump : loop.others) how.followed.emplace(jump, false);
      if (how.streams) how.loops.emplace_back(loop.header, loop.end);
    }
    return how;
  }

  Expected<Runs> run_with(const ProgramOptions& how, const Residents& residents, std::size_t events = 0,
                          double events_from = 0) {
    auto program = WARPCLOCK_TRY(make_program(kernel_.listing, costs_, how));
    return run_program(std::move(program), machine_, residents, events, events_from);
  }

  [[nodiscard]] Bounds of(const Runs& runs) const { return options_.window ? runs.window : runs.cycles; }

  /// A trip is what one more takes when the loop has run for a while; loops around it run once.
  Expected<void> add_loop(const KernelLoop& loop) {
    constexpr std::int64_t some = 16, more = 32;
    LoopPrediction one{loop.id, address(loop.header), address(loop.jump), loop.trips, loop.trips_from};
    const bool streams = !streams_ || *streams_ != nullptr, left = !loop.decided && !streams;
    if (left)
      out_.assumed.push_back(fmt::format("loop {} is left in a way that is not followed; it runs once", loop.id));
    if (streams || left || loop.trips == 0) {
      out_.loops.push_back(one);
      return {};
    }
    ProgramOptions how = program_options();
    how.of_warps.erase(loop.jump);
    for (const KernelLoop& other : path_.loops) {
      if (!other.decided || other.id == loop.id) continue;
      const bool inside = is_inside(path_.loops, other, loop.id);
      how.trips[other.jump] = inside || other.trips == 0 ? other.trips.value_or(1) : 1;
      if (inside && !other.trips)
        out_.assumed.push_back(fmt::format("loop {} has one trip within each of loop {}", other.id, loop.id));
    }
    // In a large kernel, the code around the loop would take most of the time.
    constexpr std::size_t large = 2000;
    if (end_ - first_ > large) {
      how.first = loop.header;
      how.end = loop.end;
    }
    const Residents all = residents(true);
    how.trips[loop.jump] = some;
    const Runs few = WARPCLOCK_TRY(run_with(how, all));
    how.trips[loop.jump] = more;
    const Runs many = WARPCLOCK_TRY(run_with(how, all));
    const double low = (many.cycles.low - few.cycles.low) / (more - some);
    const double high = (many.cycles.high - few.cycles.high) / (more - some);
    one.low = std::min(low, high), one.high = std::max(low, high);
    out_.loops.push_back(one);
    return {};
  }

  /// Of the loops and of all, by one clock: again by a slower one if the first pass shows it.
  Expected<void> add_cycles() {
    const OnePrediction before = made_;
    for (const KernelLoop& loop : path_.loops) WARPCLOCK_TRY(add_loop(loop));
    if (!streams_ || !WARPCLOCK_TRY(add_total())) return {};
    made_ = before;
    return add_cycles();
  }

  /// Whether the SM has a slower clock than was simulated; then nothing is added.
  Expected<bool> add_total() {
    const bool known =
        std::ranges::all_of(path_.loops, [](const KernelLoop& loop) { return loop.trips || !loop.decided; });
    ProgramOptions how = program_options();
    // Without its trips, the steady state of a loop still says what limits it.
    constexpr std::int64_t enough = 32;
    for (const KernelLoop& loop : path_.loops) {
      if (loop.decided && !loop.trips) how.trips[loop.jump] = enough;
    }
    // Warps that meet in part cannot go on alone.
    const bool streams = *streams_ != nullptr;
    Residents all = residents(), at_once = residents(true), single{streams ? all.block_warps : 1, 1};
    single.give_up = assumptions_.give_up;
    all.shares_alone = at_once.shares_alone = single.shares_alone = !known;
    if (!options_.window) {
      all.launch = at_once.launch = single.launch = launch_cost(machine_, all.block_warps);
      // Where SMs get further blocks, those that begin late get fewer.
      const double begin = place_.blocks_of_sm() > place_.blocks_per_sm ? 0 : static_cast<double>(place_.blocks - 1);
      all.launch.skew *= std::min(1.0, begin / static_cast<double>(place_.sms));
      all.fetch = at_once.fetch = single.fetch = fetch_cost(machine_, options_.cold_code);
    }
    Runs runs = WARPCLOCK_TRY(run_with(how, all, options_.timeline));
    // Loops show what limits them when all warps are in them, so the timeline begins half way.
    if (options_.timeline > 0 && !path_.loops.empty())
      runs = WARPCLOCK_TRY(run_with(how, all, options_.timeline, runs.low.cycles / 2));
    if (!known && path_.skip_loops([&](std::size_t header) { return was_issued(judged(runs), header); }))
      return add_total();
    at_once.run_trips = single.run_trips = known ? single.run_trips : runs.run_trips;
    const Runs once = all.all_blocks > all.blocks ? WARPCLOCK_TRY(run_with(how, at_once)) : runs;
    const Runs alone = streams && at_once.blocks == 1 ? once : WARPCLOCK_TRY(run_with(how, single));
    Prediction limited = out_;
    add_limits(limited, kernel_.listing, runs, of(alone).low / std::max(1.0, of(once).low));
    if (slows(limited)) return true;
    out_ = std::move(limited);
    for (std::size_t i = 0; streams && i < out_.loops.size(); ++i)
      std::tie(out_.loops[i].low, out_.loops[i].high) = std::minmax(once.low.trips[i], once.high.trips[i]);
    out_.assumed.insert(out_.assumed.end(), runs.program.assumed.begin(), runs.program.assumed.end());
    if (runs.begun < 1)
      out_.assumed.push_back(
          fmt::format("after the first {:.2g} % of its instructions, a block goes on as before", 100 * runs.begun));
    judge(runs, once);
    add_waits(runs);
    if (!out_.missing.empty()) return silence(out_), false;
    if (!of(runs).known()) add_unknown(out_, kernel_.listing, runs);
    if (options_.annotate || options_.energy) add_instructions(out_, kernel_, runs, memory_.patterns, place_.blocks);
    out_.sm_low = of(once).low, out_.sm_high = of(once).high;
    out_.low = of(runs).low, out_.high = of(runs).high;
    if (!options_.window) out_.drain = runs.low.drain;
    out_.clock_part = clock_left(out_);
    if (options_.energy) out_.energy = kernel_energy(machine_, kernel_.listing, out_);
    if (!options_.annotate) out_.instructions.clear();
    return false;
  }

  /// What blocks wait for others.
  void add_waits(Runs& runs) {
    if (*streams_ == nullptr || !(*streams_)->waits.any() || options_.window) return;
    const Leaf* seen = find_leaf(machine_, "transfers/l2.load/latency");
    const auto& steps = runs.use.steps;
    std::vector<double> cycles(kernel_.listing.instructions.size());
    double sum = 0, issues = 0;
    const auto of_step = [](const StepWaits& one) {
      return std::accumulate(one.cycles.begin(), one.cycles.end(), 0.0);
    };
    for (const StepWaits& one : steps) sum += of_step(one), issues += static_cast<double>(one.issues);
    // What the blocks of this SM do not execute takes as long as the rest on average.
    std::ranges::fill(cycles, sum / std::max(1.0, issues));
    for (std::size_t i = 0; i < steps.size(); ++i) {
      if (steps[i].issues > 0)
        cycles[runs.program.steps[i].index] = of_step(steps[i]) / static_cast<double>(steps[i].issues);
    }
    const double longer = (*streams_)->waits.longer({.cycles = cycles,
                                                     .warps = static_cast<double>(place_.block_warps()),
                                                     .slots = static_cast<std::uint64_t>(place_.blocks_at_once()),
                                                     .handed = seen == nullptr ? 0 : seen->value});
    constexpr double most = 1.5;
    if (longer > most)
      out_.missing.push_back({-1,
                              fmt::format("blocks wait for what others store for {:.0f} % of the time that they work, "
                                          "which is only estimated",
                                          100 * (longer - 1)),
                              "measure the kernel by `warpclock check`"});
    runs.cycles.low *= longer, runs.cycles.high *= longer;
    out_.assumed.push_back(
        fmt::format("blocks that wait for what others store take {:.2g} % longer, if each instruction takes as long "
                    "in all of them",
                    100 * (longer - 1)));
  }

  [[nodiscard]] std::optional<double> clock_left(const Prediction& of) const {
    const auto tensor = std::ranges::find(of.bounds, "pipe tensor", &LowerBound::name);
    return tensor_clock(machine_, kernel_.listing, tensor == of.bounds.end() ? 0 : tensor->share);
  }

  /// Whether its tensor cores leave the SM a slower clock than the simulation had, by which it is to be repeated: where
  /// L2 or DRAM matter, which have clocks of their own.
  bool slows(const Prediction& first) {
    constexpr double matters = 0.3, much = 0.99;
    const auto beyond = [&](const LowerBound& one) {
      return (one.name.starts_with("L2") || one.name == "DRAM") && one.share > matters;
    };
    const double left = clock_left(first).value_or(1);
    if (clock_ < 1 || left > much || std::ranges::none_of(first.bounds, beyond)) return false;
    clock_ = left;
    return true;
  }

  [[nodiscard]] Judged judged(const Runs& runs) const {
    return {kernel_, path_.loops, runs, path_.executed.patterns, first_};
  }

  /// Why the simulation is no answer, if it is none.
  void judge(const Runs& runs, const Runs& once) {
    const Judged judged = this->judged(runs);
    out_.missing = missing_trips(judged);
    for (MissingNumber& one : wrong_path(judged, out_.bounds)) out_.missing.push_back(std::move(one));
    for (const std::size_t jump : path_.open) {
      const bool leaves = kernel_.listing.instructions[jump].opcode == "EXIT";
      if (leaves)
        out_.assumed.push_back("no warp ends early at " + place_of(kernel_, jump));
      else if (was_issued(judged, jump))
        made_.jumps.push_back(jump);
    }
    if (!options_.window && out_.missing.empty()) out_.missing = unlike_counts(options_.executed, once, place_);
    for (const int id : never_entered(judged)) {
      const auto loop = std::ranges::find(out_.loops, id, &LoopPrediction::id);
      loop->never_entered = true;
      loop->low = loop->high = 0;
    }
  }

  const LoadedKernel& kernel_;
  const Machine& machine_;
  CostTable costs_;
  std::function<double(double)> lost_of_lap_;
  const PredictOptions& options_;
  const PreparedKernel& prepared_;
  const Assumptions& assumptions_;
  const LaunchPlacement& place_;
  KernelPath path_;
  std::size_t first_ = 0, end_ = 0;
  double clock_ = 1;  ///< MemoryUse::clock
  MemoryKnown known_;
  MemoryPlan memory_;
  Streams streams_ = nullptr;
  OnePrediction made_;
  Prediction& out_ = made_.prediction;
};

/// Adds what the last block does when the others have counted themselves. What they stored is in L2.
Expected<void> add_last(OnePrediction& to, const LoadedKernel& kernel, const Machine& machine,
                        const PredictOptions& options, const PreparedKernel& prepared, const Assumptions& assumptions) {
  PredictOptions how = options;
  for (const auto& [index, pattern] : prepared.last->path.executed.patterns) {
    if (!prepared.other->path.executed.patterns.contains(index))
      how.hits.try_emplace(static_cast<std::int64_t>(kernel.listing.instructions[index].address), MemoryLevel::L2);
  }
  const Bounds last = WARPCLOCK_TRY(Predictor(kernel, machine, how, *prepared.last, assumptions).run_alone());
  const Bounds other = WARPCLOCK_TRY(Predictor(kernel, machine, how, *prepared.other, assumptions).run_alone());
  const double low = std::max(0.0, last.low - other.low), high = std::max(low, last.high - other.high);
  Prediction& made = to.prediction;
  *made.low += low, *made.high += high;
  made.assumed.push_back(
      fmt::format("blocks count themselves, and the last goes on for {:.0f} cycles when the others have ended", low));
  return {};
}

}  // namespace

Expected<OnePrediction> predict_assuming(const LoadedKernel& kernel, const Machine& machine,
                                         const PredictOptions& options, const PreparedKernel& prepared,
                                         const Assumptions& assumptions) {
  auto made = WARPCLOCK_TRY(Predictor(kernel, machine, options, prepared, assumptions).run());
  if (prepared.last && made.prediction.low && !options.window)
    WARPCLOCK_TRY(add_last(made, kernel, machine, options, prepared, assumptions));
  return made;
}

}  // namespace warpclock
