#include "predict/executed_walk.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <set>
#include <utility>
#include <vector>

#include "base/lookup.hpp"
#include "execute/execute.hpp"
#include "execute/profile.hpp"

namespace warpclock {
namespace {

/// What warps of the same place in their blocks did at a jump, or at an instruction at which warps end.
struct JumpCount {
  double taken = 0;  ///< by all lanes that were active
  double some = 0;   ///< by some of them
};

/// Counts which jumps warps take.
class JumpReader final : public Profile {
 public:
  JumpReader(const LoadedKernel& kernel, const FlowGraph& graph, std::size_t warps)
      : Profile(kernel, graph), code_(kernel.listing.instructions), warps_(warps) {
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
    const std::uint64_t address = std::uint64_t{launch.buffers.size() + 1} << buffer_shift;
    const std::uint32_t at = launch.places.arguments + static_cast<std::uint32_t>(place);
    launch.constants[at] = static_cast<std::uint32_t>(address);
    launch.constants[at + register_bytes] = static_cast<std::uint32_t>(address >> 32);
    launch.buffers.push_back({.argument = place, .address = address, .bytes = bytes});
  }
  return launch;
}

bool decides_a_way(const Instruction& instruction, const CodeStep& step) {
  if (step.kind == StepKind::Exit) return !instruction.predicate.empty();
  return step.kind == StepKind::Jump && (!instruction.predicate.empty() || !step.predicates.empty());
}

}  // namespace

std::optional<PathWalk> executed_walk(const PathWalkInput& in) {
  constexpr std::uint64_t most_executed = 20'000'000;
  const auto& shape = in.shape;
  const bool said = std::ranges::any_of(in.loops, &KernelLoop::said);
  if (said || shape.grid[0] == 0 || shape.threads() == 0 || shape.threads() > 1024) return std::nullopt;
  const ExecutedLaunch launch = launch_of_shape(in);
  const CodeProgram program = code_program(in.kernel, launch, Follow::Path);
  const std::size_t warps = (launch.threads() + warp_lanes - 1) / warp_lanes;
  JumpReader reader(in.kernel, in.graph, warps);
  std::vector<std::uint64_t> blocks;
  for (const auto& block : sampled_blocks(shape)) {
    if (block)
      blocks.push_back((std::uint64_t{(*block)[2]} * launch.grid[1] + (*block)[1]) * launch.grid[0] + (*block)[0]);
  }
  if (!program.path_by_block) blocks.resize(1);
  if (!execute(in.kernel, launch, program, blocks, reader, {most_executed})) return std::nullopt;
  PathWalk walk{.complete = true};
  const auto times = reader.times();
  for (const CodeStep& step : program.steps) {
    if (step.index >= in.kernel.listing.instructions.size()) continue;
    if (!decides_a_way(in.kernel.listing.instructions[step.index], step)) continue;
    std::vector<double> parts(warps);
    double all = 0, taken = 0, some = 0;
    for (std::size_t warp = 0; warp < warps; ++warp) {
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
  for (const KernelLoop& loop : in.loops) {
    const LoopProfile& one = loops.at(static_cast<std::size_t>(loop.id));
    if (one.entries > 0) walk.loops[loop.id] = {static_cast<double>(one.entries), static_cast<double>(one.trips)};
  }
  return walk;
}

}  // namespace warpclock
