#include "predict/executed_kernel.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "base/lookup.hpp"
#include "code/modifiers.hpp"
#include "execute/accesses/access_profile.hpp"
#include "execute/bank_turns.hpp"
#include "execute/execute.hpp"
#include "inspect/facts.hpp"
#include "predict/memory/access_site.hpp"

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
             std::uint64_t l1_bytes)
      : AccessProfile(kernel, graph, launch, l1_bytes), code_(kernel.listing.instructions), warps_(warps) {
    for (Warp& one : warps_) one.ran.resize(code_.size() + 1);
  }

  void ran(const WarpPlace& place, std::uint32_t from, std::uint32_t first, std::uint32_t last,
           LaneMask lanes) override {
    Profile::ran(place, from, first, last, lanes);
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
  std::vector<Warp> warps_;
};

ExecutedLaunch launch_of_shape(const PathWalkInput& in) {
  constexpr std::int64_t any_shared = 1 << 20;
  constexpr unsigned buffer_shift = 40;
  ExecutedLaunch launch;
  for (std::size_t i = 0; i < launch.grid.size(); ++i) {
    launch.grid[i] = static_cast<std::uint32_t>(in.shape.grid[i]);
    launch.block[i] = static_cast<std::uint32_t>(in.shape.block[i]);
  }
  launch.cluster = static_cast<std::uint32_t>(std::max(1, in.kernel.facts.cluster_blocks));
  launch.shared_bytes = any_shared;
  launch.places = bank_places(in.kernel.listing.target);
  add_launch_constants(launch);
  for (const auto& [place, word] : in.shape.words)
    launch.constants[launch.places.arguments + static_cast<std::uint32_t>(place)] = word;
  for (const auto& [place, bytes] : in.shape.buffers) {
    const auto fill = in.shape.fills.find(place);
    const std::uint64_t address = std::uint64_t{launch.buffers.size() + 1} << buffer_shift;
    const std::uint32_t at = launch.places.arguments + static_cast<std::uint32_t>(place);
    launch.constants[at] = static_cast<std::uint32_t>(address);
    launch.constants[at + register_bytes] = static_cast<std::uint32_t>(address >> 32);
    launch.buffers.push_back({.argument = place, .address = address, .bytes = bytes});
    if (fill != in.shape.fills.end()) launch.buffers.back().fill = fill->second;
  }
  return launch;
}

/// The first address that each warp of a block accesses by each instruction.
class FirstAddresses final : public StreamReader {
 public:
  void ran(const WarpPlace&, std::uint32_t, std::uint32_t, std::uint32_t, LaneMask) override {}
  void accessed(const WarpPlace& warp, const CodeStep& step, std::size_t site, LaneMask lanes,
                const LaneAddresses& addresses) override {
    const bool copy = step.kind == StepKind::Copy;
    if (copy ? site == 1 : step.space == StepSpace::Global || step.space == StepSpace::Generic)
      note(warp, step, addresses[first_lane(lanes)]);
  }
  void met(const WarpPlace&, const CodeStep&, std::uint32_t) override {}
  void copied(const WarpPlace& warp, const CodeStep& step, std::uint64_t from, std::uint64_t) override {
    note(warp, step, from);
  }

  /// The instructions that access the same in two blocks.
  [[nodiscard]] bool same(std::uint32_t index, std::array<std::uint32_t, 3> a, std::array<std::uint32_t, 3> b) const {
    return by_block_.contains(a) && by_block_.contains(b) && at(a, index) == at(b, index);
  }

 private:
  using Block = std::array<std::uint32_t, 3>;
  void note(const WarpPlace& warp, const CodeStep& step, std::uint64_t address) {
    by_block_[warp.block][step.index].emplace(warp.warp, address);
  }
  [[nodiscard]] std::map<std::uint32_t, std::uint64_t> at(const Block& block, std::uint32_t index) const {
    return value_or(by_block_.at(block), index, {});
  }
  std::map<Block, std::map<std::uint32_t, std::map<std::uint32_t, std::uint64_t>>> by_block_;
};

/// A block in the middle of the grid, and two others along each axis: the next one, and one far away.
struct AxisProbes {
  std::array<std::uint32_t, 3> middle{};
  std::vector<std::pair<std::size_t, std::array<std::uint32_t, 3>>> others;  ///< with the axis
};

AxisProbes axis_probes(const ExecutedLaunch& launch) {
  constexpr double golden = 0.6180339887498949;
  AxisProbes probes;
  for (std::size_t axis = 0; axis < 3; ++axis) probes.middle[axis] = launch.grid[axis] / 2;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const std::uint32_t count = launch.grid[axis], middle = probes.middle[axis];
    if (count < 2) continue;
    for (const std::uint32_t step : {1U, static_cast<std::uint32_t>(golden * count)}) {
      auto other = probes.middle;
      other[axis] = (middle + step) % count;
      if (other != probes.middle) probes.others.emplace_back(axis, other);
    }
  }
  return probes;
}

std::uint64_t number_of(const ExecutedLaunch& launch, const std::array<std::uint32_t, 3>& block) {
  return (std::uint64_t{block[2]} * launch.grid[1] + block[1]) * launch.grid[0] + block[0];
}

bool decides_a_way(const Instruction& instruction, const CodeStep& step) {
  if (step.kind == StepKind::Exit) return !instruction.predicate.empty();
  return step.kind == StepKind::Jump && (!instruction.predicate.empty() || !step.predicates.empty());
}

}  // namespace

namespace {

class KernelExecution {
 public:
  KernelExecution(const PathWalkInput& in, std::uint64_t l1_bytes)
      : in_(in),
        l1_bytes_(l1_bytes),
        launch_(launch_of_shape(in)),
        warps_((launch_.threads() + warp_lanes - 1) / warp_lanes) {}

  std::optional<ExecutedKernel> run() {
    if (auto all = follow(Follow::Addresses)) return all;
    return follow(Follow::Path);
  }

 private:
  std::optional<ExecutedKernel> follow(Follow what) {
    const CodeProgram program = code_program(in_.kernel, launch_, what);
    JumpReader reader(in_.kernel, in_.graph, launch_, warps_, l1_bytes_);
    std::vector<std::uint64_t> blocks;
    for (const auto& block : sampled_blocks(in_.shape)) {
      if (block) blocks.push_back(number_of(launch_, *block));
    }
    if (!program.path_by_block) blocks.resize(1);
    if (!execute(in_.kernel, launch_, program, blocks, reader, {most_executed})) return std::nullopt;
    ExecutedKernel made{.walk = walk_of(program, reader)};
    if (what == Follow::Path) return made;
    const double scale = static_cast<double>(launch_.blocks()) / static_cast<double>(blocks.size());
    take_patterns(reader.accesses(), scale, made);
    add_sharers(program, made);
    return made;
  }

  [[nodiscard]] PathWalk walk_of(const CodeProgram& program, const JumpReader& reader) const {
    PathWalk walk{.complete = true};
    const auto times = reader.times();
    for (const CodeStep& step : program.steps) {
      if (step.index >= in_.kernel.listing.instructions.size()) continue;
      if (!decides_a_way(in_.kernel.listing.instructions[step.index], step)) continue;
      std::vector<double> parts(warps_);
      double all = 0, taken = 0, some = 0;
      for (std::size_t warp = 0; warp < warps_; ++warp) {
        const JumpCount count = reader.at(warp, step.index);
        const double passes = times[warp][step.index];
        parts[warp] = passes > 0 ? count.taken / passes : 0;
        all += passes, taken += count.taken, some += count.some;
      }
      if (all == 0) continue;
      const bool forward = step.kind == StepKind::Exit || step.target_index > step.index;
      if (forward) walk.taken[step.index] = std::move(parts);
      if (step.kind == StepKind::Jump) walk.seen[step.index] = {.jump = taken + some > 0, .on = taken < all};
    }
    const auto loops = reader.loops();
    for (const KernelLoop& loop : in_.loops) {
      const LoopProfile& one = loops.at(static_cast<std::size_t>(loop.id));
      if (one.entries > 0) walk.loops[loop.id] = {static_cast<double>(one.entries), static_cast<double>(one.trips)};
    }
    return walk;
  }

  void take_patterns(const std::vector<AccessSums>& sums, double scale, ExecutedKernel& made) const {
    for (std::size_t i = 0; i < sums.size(); ++i) {
      const AccessSums& one = sums[i];
      const Instruction& instruction = in_.kernel.listing.instructions[i];
      const bool bulk = instruction.name().starts_with("UBLKCP.S.G");
      if (one.executed == 0 || !(bulk || followed_access(instruction))) continue;
      const auto each = static_cast<double>(bulk ? std::max<std::uint64_t>(1, one.copies) : one.executed);
      made.executions[i] = scale * each;
      AccessPattern& pattern = made.patterns[i];
      pattern = bulk ? AccessPattern{} : assumed_pattern(instruction);
      pattern.deduced = true;
      if (one.wavefronts > 0) pattern.wavefronts = static_cast<double>(one.wavefronts) / each;
      if (one.sectors == 0) continue;
      pattern.sectors = static_cast<double>(one.sectors) / each;
      pattern.lines = static_cast<double>(one.lines) / each;
      pattern.new_sectors =
          (uses_l1(instruction) && !bulk && access_of(instruction)->kind != "store" ? one.missed : one.distinct) / each;
      pattern.used = pattern.sectors * sector_bytes;
      pattern.sent = 1 - one.merged / static_cast<double>(one.sectors);
      pattern.parameter = one.argument.value_or(-1);
    }
  }

  void add_sharers(const CodeProgram& program, ExecutedKernel& made) const {
    const AxisProbes probes = axis_probes(launch_);
    FirstAddresses reader;
    std::vector<std::uint64_t> blocks = {number_of(launch_, probes.middle)};
    for (const auto& [axis, block] : probes.others) blocks.push_back(number_of(launch_, block));
    if (!execute(in_.kernel, launch_, program, blocks, reader, {most_executed})) return;
    for (auto& [index, pattern] : made.patterns) {
      std::array<bool, 3> depends{};
      for (const auto& [axis, block] : probes.others)
        depends[axis] = depends[axis] || !reader.same(static_cast<std::uint32_t>(index), probes.middle, block);
      pattern.by_block = depends[0] || depends[1] || depends[2];
      pattern.sharers = 1;
      for (std::size_t axis = 0; axis < 3; ++axis) pattern.sharers *= depends[axis] ? 1 : launch_.grid[axis];
    }
  }

  static constexpr std::uint64_t most_executed = 20'000'000;
  const PathWalkInput& in_;
  std::uint64_t l1_bytes_;
  ExecutedLaunch launch_;
  std::size_t warps_;
};

}  // namespace

std::optional<ExecutedKernel> executed_kernel(const PathWalkInput& in, std::uint64_t l1_bytes) {
  const auto& shape = in.shape;
  const bool said = std::ranges::any_of(in.loops, &KernelLoop::said);
  if (said || shape.grid[0] == 0 || shape.threads() == 0 || shape.threads() > 1024) return std::nullopt;
  return KernelExecution(in, l1_bytes).run();
}

}  // namespace warpclock
