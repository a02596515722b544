#include "predict/executed_kernel.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "base/lookup.hpp"
#include "code/listing.hpp"
#include "execute/accesses/access_profile.hpp"
#include "execute/bank_turns.hpp"
#include "execute/execute.hpp"
#include "execute/launch.hpp"
#include "inspect/facts.hpp"
#include "predict/block_sharing.hpp"
#include "predict/chosen_ways.hpp"
#include "predict/loop_choice.hpp"
#include "predict/meeting/block_streams.hpp"
#include "predict/memory/access_pattern.hpp"

namespace warpclock {
namespace {

/// What warps of the same place in their blocks did at a jump, or at an instruction at which warps end.
struct JumpCount {
  double taken = 0;  ///< by all lanes that were active
  double some = 0;   ///< by some of them
};

/// Counts which jumps warps take.
class JumpReader final : public AccessProfile {
 public:
  JumpReader(const LoadedKernel& kernel, const FlowGraph& graph, const ExecutedLaunch& launch, std::size_t warps,
             const CacheRoom& room, ChosenWays& ways)
      : AccessProfile(kernel, graph, launch, room),
        code_(kernel.listing.instructions),
        ways_(ways),
        first_(ways),
        warps_(warps) {
    for (Warp& one : warps_) one.ran.resize(code_.size() + 1);
  }

  void ran(const WarpPlace& place, std::uint32_t from, std::uint32_t first, std::uint32_t last,
           LaneMask lanes) override {
    Profile::ran(place, from, first, last, lanes);
    blocks_.insert(place.block);
    Warp& warp = warps_[place.warp];
    ++warp.ran[first], --warp.ran[last + 1];
    if (from != first) {
      JumpCount& jump = warp.jumps[from];
      ++(warp.ended[from] == lanes ? jump.taken : jump.some);
    } else if (first > 0 && code_[first - 1].opcode == "EXIT" && warp.ended.contains(first - 1)) {
      // Lanes that are left go on.
      --warp.jumps[first - 1].taken, ++warp.jumps[first - 1].some;
      warp.ended.erase(first - 1);
    }
    warp.ended[last] = lanes;
    if (code_[last].opcode == "EXIT") ++warp.jumps[last].taken;
  }

  std::optional<ChosenWay> way(const WarpPlace& warp, const CodeStep& step) override { return ways_.way(warp, step); }
  bool lost(const WarpPlace&, const CodeStep& step, const Error& why) override { return ways_.lose(step, why); }
  bool presumes(const CodeStep& step) override { return ways_.presume(step); }
  [[nodiscard]] bool was_lost(const CodeStep& step) const override { return ways_.was_lost(step); }
  void accessed(const WarpPlace& warp, const CodeStep& step, std::size_t site, LaneMask lanes,
                const LaneAddresses& addresses) override {
    AccessProfile::accessed(warp, step, site, lanes, addresses);
    first_.accessed(warp, step, site, lanes, addresses);
  }
  void copied(const WarpPlace& warp, const CodeStep& step, const BulkCopy& copy) override {
    AccessProfile::copied(warp, step, copy);
    first_.copied(warp, step, copy);
  }

  void looked(const WarpPlace&, const StoredBefore&) override { waits_ = true; }

  [[nodiscard]] bool waits() const { return waits_; }
  [[nodiscard]] const FirstAddresses& first() const { return first_; }
  [[nodiscard]] std::size_t blocks() const { return blocks_.size(); }
  /// How often each warp came to an instruction.
  [[nodiscard]] std::vector<std::vector<double>> times() const {
    std::vector<std::vector<double>> all;
    for (const Warp& one : warps_) {
      double sum = 0;
      std::vector<double>& made = all.emplace_back();
      for (const std::int64_t each : one.ran) made.push_back(sum += static_cast<double>(each));
    }
    return all;
  }
  [[nodiscard]] JumpCount at(std::size_t warp, std::size_t jump) const {
    const JumpCount* found = value_at(warps_[warp].jumps, static_cast<std::uint32_t>(jump));
    return found == nullptr ? JumpCount{} : *found;
  }

 private:
  struct Warp {
    std::vector<std::int64_t> ran;  ///< differences, by instruction
    std::map<std::uint32_t, JumpCount> jumps;
    std::map<std::uint32_t, LaneMask> ended;  ///< the lanes of the last run that ended there
  };
  const std::vector<Instruction>& code_;
  ChosenWays& ways_;
  bool waits_ = false;
  FirstAddresses first_;
  std::set<std::array<std::uint32_t, 3>> blocks_;
  std::vector<Warp> warps_;
};

/// Their addresses have a bit that those of given buffers have not, so that sums and products of them are in no buffer.
std::vector<int> presume_buffers(const LoadedKernel& kernel, ExecutedLaunch& launch) {
  constexpr int address_bytes = 8;
  constexpr std::uint64_t presumed_bit = std::uint64_t{1} << 56;
  constexpr unsigned buffer_shift = 40;
  const CodeProgram deciding = code_program(kernel, launch, Follow::Guards);
  std::set<std::uint32_t> decide;
  for (const CodeStep& step : deciding.steps) {
    for (const std::uint32_t number : step.reads_pool) {
      if (!deciding.known_pool[number]) decide.insert(deciding.pool_origins[number].at);
    }
  }
  std::vector<int> presumed;
  const auto& parameters = kernel.facts.parameters;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const auto at = launch.places.arguments + static_cast<std::uint32_t>(parameters[i].at);
    if (parameters[i].bytes != address_bytes || launch.constants.contains(at)) continue;
    if (decide.contains(at) || decide.contains(at + register_bytes)) continue;
    const std::uint64_t address = presumed_bit + (std::uint64_t{i + 1} << buffer_shift);
    launch.constants[at] = static_cast<std::uint32_t>(address);
    launch.constants[at + register_bytes] = static_cast<std::uint32_t>(address >> 32);
    launch.buffers.push_back(
        {.argument = static_cast<int>(i), .address = address, .bytes = std::int64_t{1} << (buffer_shift - 1)});
    presumed.push_back(static_cast<int>(i));
  }
  return presumed;
}

bool decides_a_way(const Instruction& instruction, const CodeStep& step) {
  if (step.kind == StepKind::Exit) return !instruction.predicate.empty();
  return step.kind == StepKind::Jump && (!instruction.predicate.empty() || !step.predicates.empty());
}

/// Some blocks of the grid, spread over it in no step that a row or a column has too.
std::vector<std::uint64_t> sampled_blocks(std::uint64_t all, std::uint64_t most) {
  constexpr double golden = 0.6180339887498949;
  std::vector<std::uint64_t> blocks;
  for (std::uint64_t k = 0; k < std::min(all, most); ++k) {
    const double place = static_cast<double>(k) * golden;
    blocks.push_back(all <= most ? k
                                 : static_cast<std::uint64_t>((place - std::floor(place)) * static_cast<double>(all)));
  }
  return blocks;
}

class KernelExecution {
 public:
  explicit KernelExecution(const ExecutionInput& in)
      : in_(in),
        code_(in.kernel.listing.instructions),
        launch_(in.launch),
        warps_(launch_.warps()),
        ways_(in.kernel, in.loops, in.by_loops) {}

  ExecutedKernel run() {
    const CodeProgram program = code_program(in_.kernel, launch_, Follow::Addresses);
    JumpReader reader(in_.kernel, in_.graph, launch_, warps_, in_.room, ways_);
    const auto probed = probed_blocks(launch_);
    // Blocks that wait for others do different parts of the work.
    constexpr std::uint64_t some = 12, many = 64;
    auto blocks = program.path_by_block ? sampled_blocks(launch_.blocks(), program.polls ? many : some) : probed;
    if (std::ranges::any_of(launch_.buffers, &LaunchBuffer::part)) add_ends(blocks);
    if (const auto done = execute(in_.kernel, launch_, program, blocks, reader, limits); !done) {
      made_.missing = done.error().message();
      return std::move(made_);
    }
    made_.waits = reader.waits();
    note_ways(program, reader);
    const double scale = static_cast<double>(launch_.blocks()) / static_cast<double>(reader.blocks());
    take_patterns(reader.accesses(), static_cast<double>(reader.blocks()), scale);
    made_.extents = reader.extents(scale);
    for (const auto& [index, pages] : reader.first().pages())
      if (AccessPattern* const pattern = value_at(made_.patterns, index)) pattern->pages = pages;
    take_sharing(program, reader.first().most());
    for (const auto& [index, why] : ways_.lost()) made_.patterns.erase(index);
    made_.lost = ways_.lost(), made_.presumed = ways_.presumed(), made_.open = ways_.open();
    for (const CodeStep& step : program.steps) {
      if (launch_.blocks() > 1 && reads_counter(step)) made_.counters.insert(step.index);
    }
    if (ways_.shortened() || !made_.open.empty()) made_.executions.clear();
    return std::move(made_);
  }

 private:
  void take_sharing(const CodeProgram& program, std::size_t first_addresses) {
    constexpr ExecuteLimits some{.warp_instructions = most_executed, .enough = 5'000'000, .turn = 256, .at_once = true};
    const std::uint64_t at_once = in_.at_once > 0 ? std::min(in_.at_once, launch_.blocks()) : launch_.blocks();
    const bool meet = std::ranges::any_of(
        made_.patterns, [&](const auto& one) { return is_atomic(code_[one.first]) && one.second.sectors > 0; });
    // Atomic operations are often at the end of a block.
    FirstAddresses first(ways_, meet ? 0 : first_addresses, meet);
    if ((first_addresses == 0 && !meet) ||
        !execute(in_.kernel, launch_, program, neighbors(launch_, at_once), first, some))
      return;
    if (meet) take_meeting(first.atomics(), at_once);
    for (const auto& [index, sharing] : first.sharing(at_once)) {
      AccessPattern* const pattern = value_at(made_.patterns, index);
      if (pattern != nullptr) pattern->by_block = sharing.by_block, pattern->sharers = sharing.sharers;
    }
    for (auto& [index, pattern] : made_.patterns) {
      if (pattern.run_bytes > 0) pattern.neighbors = first.beside(index, static_cast<std::uint64_t>(pattern.run_bytes));
    }
  }

  /// What other blocks have, DRAM has to send once.
  void take_meeting(const AtomicPlaces& places, std::uint64_t at_once) {
    const AtomicMeeting meeting = places.meeting(static_cast<double>(at_once));
    const double lines = places.lines(static_cast<double>(launch_.blocks()));
    for (auto& [index, pattern] : made_.patterns) {
      if (!is_atomic(code_[index]) || pattern.sectors == 0) continue;
      pattern.meeting = meeting;
      const double sectors = lines * pattern.sectors / std::max(1.0, pattern.lines),
                   times = value_or(made_.executions, index, 0.0);
      if (times > 0) pattern.new_sectors = std::min(pattern.new_sectors, sectors / times);
    }
  }

  /// The first and the last block have the ends of what all of them access.
  void add_ends(std::vector<std::uint64_t>& blocks) const {
    for (const std::uint64_t end : {std::uint64_t{0}, launch_.blocks() - 1}) {
      if (std::ranges::find(blocks, end) == blocks.end()) blocks.push_back(end);
    }
  }

  void note_ways(const CodeProgram& program, const JumpReader& reader) {
    const auto times = reader.times();
    std::map<std::size_t, std::vector<double>> parted;  // how often some lanes of each warp jump there
    const auto aside = jumps_aside(in_.kernel.listing, in_.graph);
    for (const CodeStep& step : program.steps) {
      if (step.kind == StepKind::Call)
        made_.calls |= std::ranges::any_of(times, [&](const auto& warp) { return warp[step.index] > 0; });
      if (step.index >= code_.size() || !decides_a_way(code_[step.index], step)) continue;
      std::vector<double> parts(warps_);
      double all = 0;
      for (std::size_t warp = 0; warp < warps_; ++warp) {
        const JumpCount count = reader.at(warp, step.index);
        const double passes = times[warp][step.index];
        parts[warp] = passes > 0 ? count.taken / passes : 0;
        all += passes;
        if (count.some > 0 && step.kind == StepKind::Jump && step.target_index > step.index) {
          auto& there = parted.try_emplace(step.target_index, warps_).first->second;
          there[warp] += count.some;
        }
      }
      if (all == 0) continue;
      const bool forward = step.kind == StepKind::Exit || step.target_index > step.index || aside.contains(step.index);
      if (forward) made_.taken[step.index] = std::move(parts);
    }
    for (const auto& [target, some] : parted) note_both_ways(target, some, times);
    const auto loops = reader.loops();
    for (const KernelLoop& loop : in_.loops) {
      const LoopProfile& one = loops.at(static_cast<std::size_t>(loop.id));
      if (one.entries == 0) continue;
      made_.loops[loop.id] = {static_cast<double>(one.entries), static_cast<double>(one.trips),
                              trips_of_warps(times, loop, reader.repeats(static_cast<std::size_t>(loop.id)))};
    }
  }

  static std::vector<double> trips_of_warps(const std::vector<std::vector<double>>& times, const KernelLoop& loop,
                                            const std::vector<std::uint64_t>& repeats) {
    std::vector<double> trips;
    for (std::size_t warp = 0; warp < times.size(); ++warp) {
      const double all = times[warp][loop.header];
      const double entries = all - (warp < repeats.size() ? static_cast<double>(repeats[warp]) : 0);
      trips.push_back(entries > 0 ? all / entries : 0);
    }
    constexpr double alike = 1e-6;
    std::vector<double> entered = trips;
    std::erase(entered, 0.0);
    if (entered.empty() || std::ranges::max(entered) - std::ranges::min(entered) < alike) trips.clear();
    return trips;
  }

  /// Where lanes part, a warp executes what comes before the target and what begins there. So a jump that goes past the
  /// target, from right before it, is not taken as often as lanes have parted.
  void note_both_ways(std::size_t target, const std::vector<double>& some,
                      const std::vector<std::vector<double>>& times) {
    if (target == 0 || target > code_.size()) return;
    const std::size_t past = target - 1;
    if (code_[past].opcode != "BRA" || !code_[past].predicate.empty() || code_[past].operands.size() > 1 ||
        target_index(in_.kernel.listing, code_[past]) <= past)
      return;
    std::vector<double>& taken = made_.taken[past];
    taken.assign(warps_, 1);
    for (std::size_t warp = 0; warp < warps_; ++warp) {
      const double passes = times[warp][past];
      if (passes > 0) taken[warp] = std::clamp(1 - some[warp] / passes, 0.0, 1.0);
    }
  }

  void take_patterns(const std::vector<AccessSums>& sums, double blocks, double scale) {
    for (std::size_t i = 0; i < sums.size(); ++i) {
      const AccessSums& one = sums[i];
      if (one.constants > 0) {
        const auto times = static_cast<double>(one.executed);
        made_.constants[i] = {static_cast<double>(one.constants) / times, one.missed / times, one.asking / times};
        continue;
      }
      const bool bulk = one.copies > 0;
      const auto access = followed_access(code_[i]);
      if (one.executed == 0 || !(bulk || access)) continue;
      const auto each = static_cast<double>(bulk ? one.copies : one.executed);
      made_.executions[i] = scale * each;
      AccessPattern& pattern = made_.patterns[i];
      pattern = bulk ? AccessPattern{} : assumed_pattern(code_[i]);
      pattern.deduced = true;
      if (one.wavefronts > 0) pattern.wavefronts = static_cast<double>(one.wavefronts) / each;
      const bool global = bulk || access->memory != "shared";
      if (global && one.sectors == 0) pattern.sectors = pattern.lines = pattern.new_sectors = pattern.asking = 0;
      if (one.sectors == 0) continue;
      pattern.sectors = static_cast<double>(one.sectors) / each;
      pattern.lines = static_cast<double>(one.lines) / each;
      pattern.l1_turns = static_cast<double>(one.l1_turns) / each;
      pattern.word_turns = static_cast<double>(one.word_turns) / each;
      pattern.active = static_cast<double>(one.active) / each;
      if (!bulk) pattern.pieces = one.pieces / each;
      const bool kept = !bulk && access->kind != "store" && uses_l1(code_[i]);
      pattern.new_sectors = (kept ? one.missed : one.distinct) / each;
      pattern.block_sectors = one.distinct / blocks;
      if (!bulk && one.runs > 0) pattern.run_bytes = one.distinct / one.runs * sector_bytes;
      pattern.returning = one.returned / static_cast<double>(one.sectors);
      if (kept) pattern.first_sectors = one.first / each, pattern.again_sectors = one.again / each;
      if (one.again > 0) pattern.again_after = one.between / one.again * line_bytes;
      if (kept) pattern.asking = std::min(1.0, one.asking / each);
      pattern.sent = 1 - one.merged / static_cast<double>(one.sectors);
      pattern.argument = one.argument.value_or(-1);
      if (bulk) pattern.receivers = static_cast<double>(one.receivers) / each;
    }
  }

  static constexpr ExecuteLimits limits{.warp_instructions = most_executed, .enough = 20'000'000, .at_once = true};
  const ExecutionInput& in_;
  const std::vector<Instruction>& code_;
  const ExecutedLaunch& launch_;
  std::size_t warps_;
  ChosenWays ways_;
  ExecutedKernel made_;
};

}  // namespace

Expected<KernelLaunch> kernel_launch(const LoadedKernel& kernel, const LaunchShape& shape) {
  constexpr std::int64_t any_shared = 1 << 20;
  std::array<std::uint32_t, 3> grid{}, block{};
  for (std::size_t i = 0; i < grid.size(); ++i)
    grid[i] = static_cast<std::uint32_t>(shape.grid[i]), block[i] = static_cast<std::uint32_t>(shape.block[i]);
  KernelLaunch made{
      WARPCLOCK_TRY(executed_launch(kernel.facts, kernel.listing.target, grid, block, 0, shape.arguments)), {}};
  made.launch.shared_bytes = any_shared;
  made.launch.buffers.insert(made.launch.buffers.end(), shape.buffers.begin(), shape.buffers.end());
  if (shape.cluster[0] > 0) {
    WARPCLOCK_TRY(check_extents(grid, block, shape.cluster));
    set_cluster(made.launch, shape.cluster);
  }
  made.presumed = presume_buffers(kernel, made.launch);
  return made;
}

ExecutedKernel executed_kernel(const ExecutionInput& in) { return KernelExecution(in).run(); }

}  // namespace warpclock
