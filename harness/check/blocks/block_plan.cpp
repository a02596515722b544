#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/text.hpp"
#include "check/blocks/block.hpp"
#include "check/blocks/block_operations.hpp"
#include "check/blocks/dice.hpp"
#include "compile/compiler/compiler.hpp"
#include "plan/sweep.hpp"

namespace warpclock {
namespace {

constexpr std::int64_t most_block_warps = 32, warp_threads = 32;
/// Of warps on an SM: one, one on each sub-partition, and several.
constexpr std::array<std::int64_t, 6> warp_counts = {1, 4, 8, 16, 32, 64};
constexpr std::array<std::int64_t, 8> stream_counts = {1, 1, 2, 2, 3, 4, 6, 8};
constexpr std::array<std::int64_t, 8> way_counts = {1, 1, 1, 1, 1, 2, 4, 8};
/// 64 warps leave 32 registers to each thread.
constexpr std::int64_t few_registers = 64, streams_of_few = 3;
constexpr std::size_t most_groups = 5, groups_of_few = 3;
/// Blocks whose kernels are in one source, so that the compilers start seldom and one error does not lose all.
constexpr std::int64_t blocks_of_source = 20;

std::string module_head(const Arch& arch) {
  return fmt::format(".version {}\n.target {}\n.address_size 64\n", ptx_isa_version(), to_string(arch));
}

KernelCase case_of(const BlockPlan& plan, std::int64_t sms) {
  KernelCase made;
  made.parameters = plan.parameters();
  made.id = id_of(std::string(block_study), made.parameters);
  made.study = block_study;
  made.says = "random mixes of instructions, each repeated by all warps; those with an odd index are held out";
  made.kernel = plan.kernel();
  made.held_out = plan.index % 2 == 1;
  const std::int64_t blocks = plan.all_sms ? sms * plan.blocks_per_sm() : 1;
  made.call.grid = {blocks, 1, 1};
  made.call.block = {plan.threads(), 1, 1};
  made.call.arguments = {{.bytes = blocks * plan.threads() * bytes_of(CallType::U32), .type = CallType::U32},
                         {.type = CallType::U32}};
  made.trips = {{0, plan.trips()}};
  return made;
}

}  // namespace

std::int64_t BlockPlan::blocks_per_sm() const { return (warps + most_block_warps - 1) / most_block_warps; }
std::int64_t BlockPlan::threads() const { return warp_threads * warps / blocks_per_sm(); }

std::int64_t BlockPlan::copies() const {
  constexpr std::int64_t enough = 320;
  return straight ? std::max<std::int64_t>(2, enough / operations) : 1;
}

std::int64_t BlockPlan::trips() const {
  constexpr std::int64_t cycles = 300'000, least = 20, one_warp = 6;
  const std::int64_t trip = operations * copies() * std::max(one_warp, warps / 2);
  return std::max(least, cycles / trip);
}

std::string BlockPlan::kernel() const { return fmt::format("block_{}", index); }

Parameters BlockPlan::parameters() const {
  std::vector<std::string> groups = mix;
  groups.erase(std::ranges::unique(groups).begin(), groups.end());
  return {{"seed", static_cast<std::int64_t>(seed)},
          {"index", index},
          {"form", std::string(straight ? "straight" : "loop")},
          {"warps", warps},
          {"sms", std::string(all_sms ? "all" : "one")},
          {"streams", streams},
          {"operations", operations},
          {"ways", ways},
          {"mix", join(groups, "+")}};
}

BlockPlan plan_block(std::uint64_t seed, std::int64_t index) {
  Dice dice(seed, static_cast<std::uint64_t>(index));
  BlockPlan plan;
  plan.seed = seed, plan.index = index;
  plan.straight = dice.one_in(2);
  plan.warps = dice.pick(warp_counts);
  const bool few = plan.warps == few_registers;
  // A block alone on the GPU says nothing about whether an SM would take a second one.
  plan.all_sms = plan.blocks_per_sm() > 1 || !dice.one_in(4);
  plan.streams = dice.pick(stream_counts);
  if (few) plan.streams = std::min(plan.streams, streams_of_few);
  // As many short blocks as long ones.
  constexpr std::int64_t shortest = 8, lengths = 5, longest = 300;
  const std::int64_t about = shortest << dice.below(lengths);
  plan.operations = std::min(longest, dice.between(about, 2 * about));
  plan.ways = dice.pick(way_counts);
  const std::size_t groups = 1 + dice.below(few ? groups_of_few : most_groups);
  for (std::size_t g = 0; g < groups; ++g) {
    const std::string group(dice.pick(block_groups));
    const std::size_t weight = 1 + dice.below(3);
    plan.mix.insert(plan.mix.end(), weight, group);
  }
  std::ranges::sort(plan.mix);
  return plan;
}

std::vector<KernelCase> block_cases(std::uint64_t seed, std::int64_t count, std::int64_t sms, const Arch& arch) {
  std::vector<KernelCase> cases;
  for (std::int64_t first = 0; first < count; first += blocks_of_source) {
    const std::int64_t end = std::min(count, first + blocks_of_source);
    std::string ptx = module_head(arch);
    for (std::int64_t i = first; i < end; ++i) {
      const BlockPlan plan = plan_block(seed, i);
      ptx += block_ptx(plan);
      cases.push_back(case_of(plan, sms));
      cases.back().source = fmt::format("blocks {} to {} of seed {}", first, end - 1, seed);
    }
    for (std::int64_t i = first; i < end; ++i) cases[static_cast<std::size_t>(i)].ptx = ptx;
  }
  return cases;
}

std::string ptx_alone(const KernelCase& one, const Arch& arch) {
  const auto number = [&](std::string_view name) { return std::get<std::int64_t>(*find(one.parameters, name)); };
  return module_head(arch) + block_ptx(plan_block(static_cast<std::uint64_t>(number("seed")), number("index")));
}

}  // namespace warpclock
