#include "predict/launch_placement.hpp"

#include <algorithm>
#include <charconv>
#include <string_view>
#include <vector>

#include "inspect/occupancy.hpp"
#include "predict/program/constant_cost.hpp"

namespace warpclock {
namespace {

/// What L1 holds where a launch sets so many bytes aside for shared memory. A row asks for a percentage and gets the
/// next size that there is, at most a percent more.
double l1_beside(const Machine& machine, double shared) {
  constexpr std::string_view row = "l1.carveout_";
  const auto of_sm = static_cast<double>(machine.stated.shared_per_sm_bytes);
  const Leaf* alone = find_leaf(machine, "capacities/l1/bytes");
  double aside = 0, l1 = alone == nullptr ? 0 : alone->value;
  bool enough = false;
  for (const Entry& entry : machine.capacities) {
    int percent = 0;
    const char* end = entry.name.data() + entry.name.size();
    if (!entry.name.starts_with(row) || entry.leaves.empty() ||
        std::from_chars(entry.name.data() + row.size(), end, percent).ptr != end)
      continue;
    const double size = of_sm * (percent + 1) / 100;
    const bool holds = size >= shared;
    if (enough ? holds && size < aside : holds || size > aside) aside = size, l1 = entry.leaves.front().value;
    enough |= holds;
  }
  return enough ? l1 : std::max(0.0, l1 - (aside > 0 ? of_sm - aside : shared));
}

}  // namespace

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
  const BlockNeeds needs{.threads = made.threads,
                         .registers = facts.registers,
                         .barriers = facts.barriers,
                         .static_bytes = facts.shared_bytes,
                         .dynamic_bytes = options.dynamic_bytes};
  const Occupancy fits = occupancy(*limits, needs);
  if (fits.blocks == 0) return fail("predict", "not one block of this launch fits on an SM");
  made.blocks_per_sm = fits.blocks;
  made.l1_bytes = l1_beside(machine, static_cast<double>(shared_set_aside(*limits, needs)));
  made.constants = constant_cache(machine);
  made.sms = std::max(1, machine.stated.sms);
  made.assumed = options.blocks <= 0;
  made.blocks = made.assumed ? std::int64_t{fits.blocks} * made.sms : options.blocks;
  return made;
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
