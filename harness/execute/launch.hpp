#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "execute/forms/lanes.hpp"
#include "execute/given_arguments.hpp"
#include "gpu/job/call.hpp"
#include "inspect/image/kernel_facts.hpp"

namespace warpclock {

/// Where the constant bank has the size of a block, that of the grid after it, and the arguments; the blocks of a
/// cluster along each axis, with their reciprocals as floats after them; and the generic addresses of local memory, of
/// the arguments and of the bank itself (0: not known where). Source: the driver's ABI as nvdisasm shows it in any
/// kernel (`c[0x0][0x210]` is the first argument on sm_90; ptxas reads %cluster_nctaid.x from `c[0x0][0x144]` and
/// %is_explicit_cluster from the word before it, multiplies %ctaid.x by `c[0x0][0x150]` for %clusterid.x, adds
/// `c[0x0][0x20]` and the word after it for cvta.local, and `c[0x0][0x198]` for cvta.param; cuBLAS adds the place in
/// the bank to `c[0x0][0xc0]`).
struct BankPlaces {
  std::uint32_t block = 0, arguments = 0, cluster = 0, local = 0, arguments_address = 0, bank_address = 0;
};
[[nodiscard]] BankPlaces bank_places(std::string_view target);

/// Blocks of a grid or of a cluster, or threads of a block, along each axis.
using LaunchExtents = std::array<std::uint32_t, 3>;

/// Error "option" if they are 0, or more than any GPU has (CUDA C++ Programming Guide 13.0, "Technical Specifications
/// per Compute Capability" and "Thread Block Clusters").
[[nodiscard]] Expected<void> check_extents(const LaunchExtents& grid, const LaunchExtents& block,
                                           const LaunchExtents& cluster);

/// Banks have up to 64 KiB.
inline constexpr std::uint32_t bank_shift = 16;

/// Memory on the device behind an argument, or a variable of the module.
struct LaunchBuffer {
  static constexpr int none = -1;
  int argument = 0;           ///< its number; `none`: a variable of the module
  std::uint64_t address = 0;  ///< a multiple of 256 (CUDA C++ Programming Guide, "Device Memory Accesses")
  std::int64_t bytes = 0;
  std::optional<CallArgument> fill;  ///< what it holds; nothing: not known
  std::string contents;              ///< of a file, repeated to the end; empty: `fill`
  bool once = false;                 ///< `contents` are not repeated: what is behind them is not known
  bool part = false;  ///< a kernel may need only a part of it: the buffer is as large as what is accessed
};

/// A launch of a kernel: what its warps find.
struct ExecutedLaunch {
  std::array<std::uint32_t, 3> grid = {1, 1, 1}, block = {1, 1, 1};
  std::array<std::uint32_t, 3> cluster = {1, 1, 1};  ///< blocks of a cluster, along each axis
  std::uint32_t shared_begin = 0;                    ///< of what the kernel may use: sm_90 and later keep 1 KiB
  std::int64_t shared_bytes = 0;                     ///< static and dynamic
  BankPlaces places;
  std::map<std::uint32_t, std::uint32_t> constants;  ///< words of the constant banks, by bank << bank_shift | offset
  std::vector<LaunchBuffer> buffers;                 ///< by address
  /// How many blocks have counted before at a counter, by the instruction that counts; of others, each in its turn.
  std::map<std::size_t, std::uint64_t> counted = {};

  [[nodiscard]] std::uint64_t blocks() const { return std::uint64_t{grid[0]} * grid[1] * grid[2]; }
  [[nodiscard]] std::uint32_t threads() const { return block[0] * block[1] * block[2]; }
  /// Of a block.
  [[nodiscard]] std::size_t warps() const { return (threads() + warp_lanes - 1) / warp_lanes; }
  [[nodiscard]] std::size_t cluster_blocks() const { return std::size_t{cluster[0]} * cluster[1] * cluster[2]; }
};

/// A launch in clusters of so many blocks along each axis.
void set_cluster(ExecutedLaunch& launch, const std::array<std::uint32_t, 3>& extents);

/// Notes in its constant bank what any kernel of this launch finds: the sizes of a block and of the grid, and its
/// stack.
void add_launch_constants(ExecutedLaunch& launch);

/// A launch with some or all of a kernel's arguments. Error "option" if the kernel has no such argument, or the launch
/// or its shared memory is more than a GPU has.
[[nodiscard]] Expected<ExecutedLaunch> executed_launch(const KernelFacts& facts, std::string_view target,
                                                       const std::array<std::uint32_t, 3>& grid,
                                                       const std::array<std::uint32_t, 3>& block,
                                                       std::int64_t dynamic_bytes,
                                                       const std::vector<GivenArgument>& arguments);

}  // namespace warpclock
