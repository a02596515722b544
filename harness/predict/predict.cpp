#include "predict/predict.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <utility>

#include "base/elapsed.hpp"
#include "base/text.hpp"
#include "inspect/inspect.hpp"
#include "inspect/occupancy.hpp"
#include "predict/kernel_loops.hpp"
#include "predict/limits.hpp"
#include "predict/meeting/followed_code.hpp"
#include "predict/memory/lane_launch.hpp"
#include "predict/memory/memory_plan.hpp"
#include "predict/simulation/run.hpp"

namespace warpclock {
namespace {

constexpr int warp_threads = 32;

class Predictor {
 public:
  Predictor(const LoadedKernel& kernel, const Machine& machine, const PredictOptions& options)
      : kernel_(kernel), machine_(machine), costs_(machine), options_(options) {
    if (options.limit > 0)
      give_up_ = Time::now() + std::chrono::duration_cast<Time::duration>(std::chrono::duration<double>(options.limit));
  }

  Expected<Prediction> run() {
    if (kernel_.listing.instructions.empty()) return fail("predict", "the kernel has no instructions");
    loops_ = WARPCLOCK_TRY(kernel_loops(kernel_, options_));
    WARPCLOCK_TRY(place());
    WARPCLOCK_TRY(find_range());
    WARPCLOCK_TRY(find_memory());
    code_ = std::make_shared<const FollowedCode>(kernel_.listing, first_, end_,
                                                 lane_launch(kernel_.listing.target, kernel_.facts, known_.shape));
    for (const KernelLoop& loop : loops_) WARPCLOCK_TRY(add_loop(loop));
    WARPCLOCK_TRY(add_total());
    return std::move(out_);
  }

 private:
  [[nodiscard]] std::int64_t address(std::size_t index) const {
    return static_cast<std::int64_t>(kernel_.listing.instructions[index].address);
  }

  /// How many blocks an SM holds.
  Expected<void> place() {
    out_.kernel = kernel_.listing.kernel;
    out_.readable = readable_name(out_.kernel);
    out_.gpu = machine_.gpu;
    out_.arch = machine_.arch;
    out_.window = options_.window;
    const KernelFacts& facts = kernel_.facts;
    out_.threads = options_.threads > 0 ? options_.threads : facts.required_threads;
    if (out_.threads == 0) out_.threads = facts.most_threads;
    if (out_.threads == 0) return fail("predict", "the threads of a block are not known: --launch GRID,BLOCK");
    const auto arch = WARPCLOCK_TRY(parse_arch(machine_.arch));
    const auto limits = sm_limits(arch);
    if (!limits) return fail("predict", "how many blocks an SM of " + machine_.arch + " holds is not known");
    const Occupancy fits = occupancy(*limits, {.threads = out_.threads,
                                               .registers = facts.registers,
                                               .barriers = facts.barriers,
                                               .static_bytes = facts.shared_bytes,
                                               .dynamic_bytes = options_.dynamic_bytes});
    if (fits.blocks == 0) return fail("predict", "not one block of this launch fits on an SM");
    out_.blocks_per_sm = fits.blocks;
    out_.sms = std::max(1, machine_.stated.sms);
    const std::int64_t wave = std::int64_t{fits.blocks} * out_.sms;
    out_.blocks = options_.blocks > 0 ? options_.blocks : wave;
    out_.waves = static_cast<double>(out_.blocks) / static_cast<double>(wave);
    return {};
  }

  /// The blocks of the SM that has most. They all run, one after the other, unless only those are asked for that it
  /// holds at once.
  [[nodiscard]] Residents residents(bool at_once = false) const {
    const std::int64_t each = blocks_of_sm();
    Residents made{(out_.threads + warp_threads - 1) / warp_threads,
                   static_cast<int>(std::min<std::int64_t>(each, out_.blocks_per_sm))};
    if (!at_once && !options_.window) made.all_blocks = each;
    // Kernels of libraries have up to fifty loops, one within the other.
    constexpr double of_kernel = 20e6;
    made.issues = std::min(made.issues, of_kernel / static_cast<double>(loops_.size() + 1));
    made.give_up = give_up_;
    return made;
  }

  [[nodiscard]] std::int64_t blocks_of_sm() const { return (out_.blocks + out_.sms - 1) / out_.sms; }

  Expected<void> find_memory() {
    known_ = {options_.shape, options_.level, options_.hits, options_.strides};
    if (known_.shape.threads() != out_.threads) known_.shape.block = {out_.threads, 1, 1};
    memory_ = WARPCLOCK_TRY(plan_memory(kernel_, known_));
    out_.assumed = memory_.assumed;
    return {};
  }

  /// How often warps of the whole launch execute an instruction.
  [[nodiscard]] double executions(std::size_t index) const {
    const bool once = kernel_.listing.instructions[index].opcode == "UBLKCP";  // by one warp of the block
    const auto warps = once ? 1 : (out_.threads + warp_threads - 1) / warp_threads;
    double times = static_cast<double>(out_.blocks) * static_cast<double>(warps);
    for (const KernelLoop& loop : loops_) {
      if (index >= loop.header && index <= loop.jump) times *= static_cast<double>(loop.trips.value_or(1));
    }
    return times;
  }

  /// The part of the listing that is predicted.
  Expected<void> find_range() {
    end_ = kernel_.listing.instructions.size();
    if (!options_.window) return {};
    std::vector<std::size_t> reads;
    for (std::size_t i = 0; i < end_; ++i) {
      const Instruction& each = kernel_.listing.instructions[i];
      if (each.opcode == "CS2R" && each.text.contains("SR_CLOCK")) reads.push_back(i);
    }
    if (reads.size() < 2) return fail("predict", "the kernel does not read the clock twice, so it has no window");
    first_ = reads.front();
    end_ = reads.back() + 1;
    std::erase_if(loops_, [&](const KernelLoop& loop) { return loop.header < first_ || loop.jump >= end_; });
    return {};
  }

  /// The part of what all blocks access that L2 has no room for, although it was accessed before.
  [[nodiscard]] double beyond_l2(const std::map<std::size_t, double>& times) const {
    if (options_.level != MemoryLevel::L2 || machine_.stated.l2_bytes <= 0) return 0;
    return part_beyond(room_of_l2(machine_), kernel_.listing, memory_, known_, times);
  }

  [[nodiscard]] ProgramOptions program_options() const {
    ProgramOptions how{.first = first_, .end = end_};
    how.level = options_.level;
    how.hits = memory_.hits;
    how.patterns = memory_.patterns;
    std::map<std::size_t, double> times;
    for (const auto& [index, pattern] : memory_.patterns) times[index] = executions(index);
    how.parts = parts_of_dram(kernel_.listing, memory_, known_, times);
    if (const double beyond = beyond_l2(times); beyond > 0) {
      for (auto& [index, part] : how.parts) {
        if (how.hits.emplace(index, MemoryLevel::Dram).second) part *= beyond;
      }
    }
    how.use.share = static_cast<double>(out_.blocks) / static_cast<double>(blocks_of_sm() * out_.sms);
    how.use.blocks = residents().blocks;
    how.use.resident = std::min(1.0, how.use.blocks * out_.sms / static_cast<double>(out_.blocks));
    how.use.at_once = !options_.window && blocks_of_sm() <= out_.blocks_per_sm;
    how.use.local_bytes = static_cast<double>(kernel_.facts.stack_bytes) * out_.threads * how.use.blocks;
    how.use.shared_bytes = static_cast<double>(kernel_.facts.shared_bytes + options_.dynamic_bytes) * how.use.blocks;
    how.held_before = options_.held_before;
    how.code = code_;
    for (const KernelLoop& loop : loops_) {
      if (loop.decided) how.trips[loop.jump] = loop.trips.value_or(1);
      for (const std::size_t jump : loop.others) how.followed.insert({jump, {true, false}});
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
    LoopPrediction one{.id = loop.id, .begin = address(loop.header), .end = address(loop.jump)};
    one.trips = loop.trips;
    one.trips_from = loop.trips_from;
    if (!loop.decided) {
      out_.assumed.push_back(fmt::format("loop {} is left in a way that is not followed; it runs once", loop.id));
      out_.loops.push_back(one);
      return {};
    }
    const bool once = loop.trips == 1 && code_->meets();
    if (once) {
      out_.loops.push_back(one);
      return {};
    }
    ProgramOptions how = program_options();
    std::vector<std::pair<std::size_t, std::int64_t>> together = {{loop.jump, 0}};
    for (const KernelLoop& other : loops_) {
      if (!other.decided || other.id == loop.id) continue;
      const bool inside = is_inside(other, loop.id);
      how.trips[other.jump] = inside ? other.trips.value_or(1) : 1;
      // Warps that meet at mbarriers go through their loops together.
      const bool beside = code_->meets() && !inside && !is_inside(loop, other.id) && other.trips.value_or(more) > 1;
      if (beside) together.emplace_back(other.jump, trips_beyond(other, loop));
      if (inside && !other.trips)
        out_.assumed.push_back(fmt::format("loop {} has one trip within each of loop {}", other.id, loop.id));
    }
    // In a large kernel, the code around the loop would take most of the time.
    constexpr std::size_t large = 2000;
    if (end_ - first_ > large && !code_->meets()) {
      how.first = loop.header;
      how.end = loop.end;
    }
    const Residents all = residents(true);
    for (const auto& [jump, beyond] : together) how.trips[jump] = some + beyond;
    const Runs few = WARPCLOCK_TRY(run_with(how, all));
    for (const auto& [jump, beyond] : together) how.trips[jump] = more + beyond;
    const Runs many = WARPCLOCK_TRY(run_with(how, all));
    const double low = (many.cycles.low - few.cycles.low) / (more - some);
    const double high = (many.cycles.high - few.cycles.high) / (more - some);
    one.low = std::min(low, high), one.high = std::max(low, high);
    out_.loops.push_back(one);
    return {};
  }

  [[nodiscard]] bool is_inside(const KernelLoop& loop, int id) const {
    for (int parent = loop.parent; parent >= 0;) {
      if (parent == id) return true;
      const auto above = std::ranges::find(loops_, parent, &KernelLoop::id);
      parent = above == loops_.end() ? -1 : above->parent;
    }
    return false;
  }

  Expected<void> add_total() {
    const bool known = std::ranges::all_of(loops_, [](const KernelLoop& loop) { return loop.trips || !loop.decided; });
    ProgramOptions how = program_options();
    // Without its trips, the steady state of a loop still says what limits it.
    constexpr std::int64_t enough = 32;
    for (const KernelLoop& loop : loops_) {
      if (loop.decided && !loop.trips) how.trips[loop.jump] = enough;
    }
    // Warps that meet at mbarriers cannot go on alone.
    Residents all = residents(), at_once = residents(true), single{code_->meets() ? all.block_warps : 1, 1};
    single.give_up = give_up_;
    all.shares_alone = at_once.shares_alone = single.shares_alone = !known;
    if (!options_.window) all.launch = at_once.launch = single.launch = launch_cost(machine_, all.block_warps);
    Runs runs = WARPCLOCK_TRY(run_with(how, all, options_.timeline));
    // Loops show what limits them when all warps are in them, so the timeline begins half way.
    if (options_.timeline > 0 && !loops_.empty())
      runs = WARPCLOCK_TRY(run_with(how, all, options_.timeline, runs.low.cycles / 2));
    at_once.run_trips = single.run_trips = known ? single.run_trips : runs.run_trips;
    const Runs once = all.all_blocks > all.blocks ? WARPCLOCK_TRY(run_with(how, at_once)) : runs;
    const Runs alone = WARPCLOCK_TRY(run_with(how, single));
    add_not_followed(runs.low);
    add_limits(out_, kernel_.listing, runs, of(alone).low / std::max(1.0, of(once).low));
    if (!of(runs).known()) add_unknown(runs);
    out_.assumed.insert(out_.assumed.end(), runs.program.assumed.begin(), runs.program.assumed.end());
    if (!known) return {};
    out_.sm_low = of(once).low, out_.sm_high = of(once).high;
    out_.low = of(runs).low, out_.high = of(runs).high;
    return {};
  }

  void add_not_followed(const Simulation& run) {
    std::vector<std::string> names;
    for (const std::size_t step : run.not_followed) {
      const Instruction& one = kernel_.listing.instructions[first_ + step];
      names.push_back(fmt::format("{:#06x} {}", one.address, one.opcode));
    }
    if (names.empty()) return;
    out_.assumed.push_back("neither waits nor jumps, as the mbarrier, its phase or the predicate cannot be deduced: " +
                           join(names, ", "));
  }

  void add_unknown(const Runs& runs) {
    for (const auto& [gap, indices] : runs.program.gaps) {
      UnknownCost& one = out_.unknown.emplace_back(gap.instruction, gap.what);
      for (const std::size_t index : indices) one.addresses.push_back(address(index));
    }
  }

  const LoadedKernel& kernel_;
  const Machine& machine_;
  CostTable costs_;
  Time::time_point give_up_ = Time::time_point::max();
  const PredictOptions& options_;
  std::vector<KernelLoop> loops_;
  std::size_t first_ = 0, end_ = 0;
  MemoryKnown known_;
  MemoryPlan memory_;
  std::shared_ptr<const FollowedCode> code_;
  Prediction out_;
};

}  // namespace

Expected<Prediction> predict(const LoadedKernel& kernel, const Machine& machine, const PredictOptions& options) {
  return Predictor(kernel, machine, options).run();
}

}  // namespace warpclock
