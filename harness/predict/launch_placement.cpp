#include "predict/launch_placement.hpp"

#include <algorithm>
#include <vector>

#include "inspect/occupancy.hpp"

namespace warpclock {

double LaunchPlacement::waves() const {
  return static_cast<double>(blocks) / static_cast<double>(std::int64_t{blocks_per_sm} * sms);
}

int LaunchPlacement::block_warps() const {
  constexpr int warp_threads = 32;
  return (threads + warp_threads - 1) / warp_threads;
}

void note_placement(const LaunchPlacement& placement, Prediction& prediction) {
  prediction.launch_assumed = placement.assumed;
  prediction.threads = placement.threads;
  prediction.blocks_per_sm = placement.blocks_per_sm;
  prediction.sms = placement.sms;
  prediction.blocks = placement.blocks;
  prediction.waves = placement.waves();
}

Expected<LaunchPlacement> place_launch(const KernelFacts& facts, const Machine& machine,
                                       const PredictOptions& options) {
  LaunchPlacement made;
  made.threads = options.threads > 0 ? options.threads : facts.required_threads;
  if (made.threads == 0) made.threads = facts.most_threads;
  if (made.threads == 0) return fail("predict", "the threads of a block are not known: --launch GRID,BLOCK");
  const auto arch = WARPCLOCK_TRY(parse_arch(machine.arch));
  const auto limits = sm_limits(arch);
  if (!limits) return fail("predict", "how many blocks an SM of " + machine.arch + " holds is not known");
  const Occupancy fits = occupancy(*limits, {.threads = made.threads,
                                             .registers = facts.registers,
                                             .barriers = facts.barriers,
                                             .static_bytes = facts.shared_bytes,
                                             .dynamic_bytes = options.dynamic_bytes});
  if (fits.blocks == 0) return fail("predict", "not one block of this launch fits on an SM");
  made.blocks_per_sm = fits.blocks;
  made.sms = std::max(1, machine.stated.sms);
  made.assumed = options.blocks <= 0;
  made.blocks = made.assumed ? std::int64_t{fits.blocks} * made.sms : options.blocks;
  return made;
}

std::uint64_t l1_of_block(const KernelFacts& facts, const Machine& machine, const PredictOptions& options,
                          const LaunchPlacement& placement) {
  const Leaf* l1 = find_leaf(machine, "capacities/l1/bytes");
  const auto blocks = static_cast<double>(std::min<std::int64_t>(placement.blocks_of_sm(), placement.blocks_per_sm));
  const double shared = static_cast<double>(facts.shared_bytes + options.dynamic_bytes) * blocks;
  return l1 == nullptr ? 0 : static_cast<std::uint64_t>(std::max(0.0, l1->value - shared) / blocks);
}

Expected<std::pair<std::size_t, std::size_t>> window_of(const Listing& listing) {
  std::vector<std::size_t> reads;
  for (std::size_t i = 0; i < listing.instructions.size(); ++i) {
    const Instruction& each = listing.instructions[i];
    if (each.opcode == "CS2R" && each.text.contains("SR_CLOCK")) reads.push_back(i);
  }
  if (reads.size() < 2) return fail("predict", "the kernel does not read the clock twice, so it has no window");
  return std::pair(reads.front(), reads.back() + 1);
}

}  // namespace warpclock
