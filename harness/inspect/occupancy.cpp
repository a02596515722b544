#include "inspect/occupancy.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <string_view>
#include <utility>

namespace warpclock {
namespace {

// CUDA C++ Programming Guide 13.0, "Technical Specifications per Compute Capability": threads and blocks of an SM,
// shared memory of an SM and of a block. Barriers of an SM: cuda_occupancy.h of CUDA 13.0,
// cudaOccMaxBlocksPerSMBlockBarrierLimit().
constexpr std::array<SmLimits, 13> table = {{{70, 2048, 32, 96, 96, 0},
                                             {72, 2048, 32, 96, 96, 0},
                                             {75, 1024, 16, 64, 64, 0},
                                             {80, 2048, 32, 164, 163, 0},
                                             {86, 1536, 16, 100, 99, 0},
                                             {87, 1536, 16, 164, 163, 0},
                                             {89, 1536, 24, 100, 99, 0},
                                             {90, 2048, 32, 228, 227, 64},
                                             {100, 2048, 32, 228, 227, 64},
                                             {103, 2048, 32, 228, 227, 64},
                                             {110, 1536, 24, 228, 227, 24},
                                             {120, 1536, 24, 100, 99, 24},
                                             {121, 1536, 24, 100, 99, 24}}};

// cuda_occupancy.h of CUDA 13.0: registers are allocated to a warp by 256, warps to the four sub-partitions, shared
// memory by 128 bytes (256 before sm_80), of which the system takes 1 KiB a block from sm_80 on.
constexpr int lanes = 32, register_unit = 256, sub_partitions = 4, newest_without_reserve = 75;
constexpr std::int64_t kib = 1024;
constexpr int any = std::numeric_limits<int>::max();

std::int64_t rounded_up(std::int64_t number, std::int64_t unit) { return (number + unit - 1) / unit * unit; }

int blocks_by_registers(const SmLimits& limits, const BlockNeeds& needs, int warps) {
  if (needs.registers == 0) return any;
  const std::int64_t of_warp = rounded_up(std::int64_t{needs.registers} * lanes, register_unit);
  if (of_warp * rounded_up(warps, sub_partitions) > limits.registers) return 0;
  const std::int64_t resident = limits.registers / sub_partitions / of_warp * sub_partitions;
  return static_cast<int>(resident / warps);
}

int blocks_by_shared(const SmLimits& limits, const BlockNeeds& needs) {
  const bool old = limits.sm <= newest_without_reserve;
  const std::int64_t own = needs.static_bytes + needs.dynamic_bytes;
  const std::int64_t taken = rounded_up(own + (old ? 0 : kib), old ? 256 : 128);
  if (own > limits.shared_block_kib * kib) return 0;
  return taken == 0 ? any : static_cast<int>(limits.shared_kib * kib / taken);
}

}  // namespace

std::optional<SmLimits> sm_limits(const Arch& arch) {
  const auto* const found = std::ranges::find(table, arch.sm, &SmLimits::sm);
  return found == table.end() ? std::nullopt : std::optional(*found);
}

Occupancy occupancy(const SmLimits& limits, const BlockNeeds& needs) {
  Occupancy result{.threads = needs.threads, .dynamic_bytes = needs.dynamic_bytes};
  const int warps = (needs.threads + lanes - 1) / lanes;
  if (needs.threads <= 0 || needs.threads > limits.block_threads) {
    result.limits = {"threads of a block"};
    return result;
  }
  const std::array<std::pair<std::string_view, int>, 5> allowed = {
      {{"registers", blocks_by_registers(limits, needs, warps)},
       {"shared memory", blocks_by_shared(limits, needs)},
       {"warps", limits.threads / lanes / warps},
       {"blocks", limits.blocks},
       {"barriers", needs.barriers == 0 || limits.barriers == 0 ? any : limits.barriers / needs.barriers}}};
  result.blocks = std::ranges::min(allowed, {}, [](const auto& each) { return each.second; }).second;
  result.warps = result.blocks * warps;
  for (const auto& [name, blocks] : allowed) {
    if (blocks == result.blocks) result.limits.emplace_back(name);
  }
  return result;
}

std::int64_t shared_set_aside(const SmLimits& limits, const BlockNeeds& needs) {
  // Of sizes that the driver chose, 2.6 to 4 KiB explain all (H200).
  constexpr std::int64_t more = 3 * kib;
  const std::int64_t of_block = needs.static_bytes + needs.dynamic_bytes + more;
  return std::min(occupancy(limits, needs).blocks * of_block, limits.shared_kib * kib);
}

}  // namespace warpclock
