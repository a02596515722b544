#include "execute/launch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>

#include "execute/forms/code_step.hpp"
#include "execute/forms/lanes.hpp"

namespace warpclock {
namespace {

constexpr std::int64_t address_bytes = 8;
/// Where a thread's stack ends, at this place of the bank. Any multiple of 16 that holds the largest stack will do.
constexpr std::uint32_t stack_end_at = 0x28, stack_end = 0x80000;
/// Buffers are far apart, so that an access behind the end of one is in none.
constexpr unsigned buffer_shift = 40;
constexpr std::uint32_t reserved_shared = 1024;
/// The bank with the addresses of the module's variables.
constexpr std::uint32_t variables_bank = 4;

void put(ExecutedLaunch& launch, std::uint32_t at, std::uint64_t value, std::int64_t bytes) {
  for (std::uint32_t byte = 0; byte < static_cast<std::uint32_t>(bytes); ++byte) {
    const std::uint32_t word = (at + byte) / register_bytes * register_bytes,
                        shift = 8 * ((at + byte) % register_bytes);
    std::uint32_t& held = launch.constants[word];
    held = (held & ~(0xffU << shift)) | static_cast<std::uint32_t>(value >> 8 * byte & 0xffU) << shift;
  }
}

void put_bytes(ExecutedLaunch& launch, std::uint32_t at, std::string_view bytes) {
  for (std::size_t k = 0; k < bytes.size(); ++k)
    put(launch, at + static_cast<std::uint32_t>(k), static_cast<unsigned char>(bytes[k]), 1);
}

}  // namespace

BankPlaces bank_places(std::string_view target) {
  constexpr std::uint32_t local = 0x20;
  if (target.starts_with("sm_9")) return {0, 0x210, 0x144, local, 0x198, 0xc0};
  if (target.starts_with("sm_8") || target.starts_with("sm_7")) return {0, 0x160, 0, local};
  return {0x360, 0x380};
}

Expected<void> check_extents(const LaunchExtents& grid, const LaunchExtents& block, const LaunchExtents& cluster) {
  constexpr LaunchExtents most_blocks{0x7fffffff, 0xffff, 0xffff}, most_threads{1024, 1024, 64};
  constexpr std::uint64_t threads_of_block = 1024, blocks_of_cluster = 16;
  const auto within = [](const LaunchExtents& extents, const LaunchExtents& most, std::uint64_t most_of_all) {
    std::uint64_t all = 1;
    for (std::size_t axis = 0; axis < extents.size(); ++axis) {
      if (extents[axis] == 0 || extents[axis] > most[axis]) return false;
      all *= extents[axis];
    }
    return all <= most_of_all;
  };
  if (within(grid, most_blocks, ~std::uint64_t{0}) && within(block, most_threads, threads_of_block) &&
      within(cluster, most_threads, blocks_of_cluster))
    return {};
  return fail(
      "option",
      "no GPU runs such a launch: a grid has 1 to 2147483647 blocks along x and to 65535 along y and z, a block "
      "1 to 1024 threads, and a cluster 1 to 16 blocks");
}

/// Behind the extents of a cluster: its blocks (ptxas reads %cluster_nctarank from `c[0x0][0x188]`).
constexpr std::uint32_t blocks_of_cluster = 0x44;

void set_cluster(ExecutedLaunch& launch, const std::array<std::uint32_t, 3>& extents) {
  launch.cluster = extents;
  if (launch.places.cluster == 0) return;
  const std::uint32_t blocks = extents[0] * extents[1] * extents[2];
  if (blocks > 1) put(launch, launch.places.cluster - register_bytes, 1, register_bytes);
  put(launch, launch.places.cluster + blocks_of_cluster, blocks, register_bytes);
  for (std::uint32_t axis = 0; axis < extents.size(); ++axis) {
    const std::uint32_t at = launch.places.cluster + register_bytes * axis,
                        reciprocal_at = at + register_bytes * static_cast<std::uint32_t>(extents.size());
    put(launch, at, extents[axis], register_bytes);
    launch.constants.erase(reciprocal_at);
    // Of others it is not known how the reciprocal is rounded.
    if (std::has_single_bit(extents[axis]))
      put(launch, reciprocal_at, std::bit_cast<std::uint32_t>(1 / static_cast<float>(extents[axis])), register_bytes);
  }
}

void add_launch_constants(ExecutedLaunch& launch) {
  for (std::uint32_t axis = 0; axis < 3; ++axis) {
    put(launch, launch.places.block + register_bytes * axis, launch.block[axis], register_bytes);
    put(launch, launch.places.block + register_bytes * (3 + axis), launch.grid[axis], register_bytes);
  }
  put(launch, stack_end_at, stack_end, register_bytes);
  if (launch.places.local != 0) put(launch, launch.places.local, std::uint64_t{local_window} << 32U, address_bytes);
  if (launch.places.bank_address == 0) return;
  const std::uint64_t bank = std::uint64_t{constant_window} << 32U;
  put(launch, launch.places.bank_address, bank, address_bytes);
  put(launch, launch.places.arguments_address, bank + launch.places.arguments, address_bytes);
}

Expected<ExecutedLaunch> executed_launch(const KernelFacts& facts, std::string_view target,
                                         const std::array<std::uint32_t, 3>& grid,
                                         const std::array<std::uint32_t, 3>& block, std::int64_t dynamic_bytes,
                                         const std::vector<GivenArgument>& arguments) {
  constexpr std::int64_t most_shared = 1 << 20;
  ExecutedLaunch launch{.grid = grid, .block = block};
  const std::array cluster{static_cast<std::uint32_t>(std::max(1, facts.cluster_blocks)), 1U, 1U};
  WARPCLOCK_TRY(check_extents(grid, block, cluster));
  const bool keeps = !target.starts_with("sm_7") && !target.starts_with("sm_8");
  launch.shared_begin = keeps ? reserved_shared : 0;
  if (dynamic_bytes < 0 || dynamic_bytes > most_shared - facts.shared_bytes)
    return fail("option", fmt::format("a block cannot have {} bytes of shared memory of its own and {} of the launch",
                                      facts.shared_bytes, dynamic_bytes));
  launch.shared_bytes = facts.shared_bytes + dynamic_bytes;
  launch.places = bank_places(target);
  set_cluster(launch, cluster);
  if (launch.places.cluster != 0)
    put(launch, launch.places.cluster - register_bytes, facts.cluster_blocks > 0 ? 1 : 0, register_bytes);
  add_launch_constants(launch);
  for (const GivenArgument& one : arguments) {
    if (one.number < 0 || static_cast<std::size_t>(one.number) >= facts.parameters.size())
      return fail("option", fmt::format("the kernel has no argument {}: the cubin states {}", one.number,
                                        facts.parameters.size()));
    const ParameterPlace place = facts.parameters[static_cast<std::size_t>(one.number)];
    if (!one.bytes.empty()) {
      put_bytes(launch, launch.places.arguments + static_cast<std::uint32_t>(place.at), one.bytes);
      continue;
    }
    std::uint64_t value = bits_of(one.argument.type, one.argument.value);
    if (one.argument.bytes > 0) {
      value = std::uint64_t{launch.buffers.size() + 1} << buffer_shift;
      launch.buffers.push_back({one.number, value, one.argument.bytes, std::nullopt, one.contents});
      if (one.filled && one.contents.empty()) launch.buffers.back().fill = one.argument;
    }
    put(launch, launch.places.arguments + static_cast<std::uint32_t>(place.at), value,
        std::min<std::int64_t>(place.bytes, 8));
  }
  for (const ModuleVariable& one : facts.variables) {
    const std::uint64_t address = std::uint64_t{launch.buffers.size() + 1} << buffer_shift;
    launch.buffers.push_back({LaunchBuffer::none, address, one.bytes, std::nullopt, one.contents});
    put(launch, variables_bank << bank_shift | one.at, address, 8);
  }
  return launch;
}

}  // namespace warpclock
