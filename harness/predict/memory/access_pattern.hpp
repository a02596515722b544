#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>

#include "code/listing.hpp"
#include "gpu/job/call.hpp"
#include "inspect/image/kernel_facts.hpp"

namespace warpclock {

/// What a launch says of the addresses that its threads compute.
struct LaunchShape {
  std::array<int, 3> block = {0, 0, 0};  ///< threads along x, y and z; 0: not known
  std::array<int, 3> grid = {0, 0, 0};   ///< blocks
  std::map<int, std::int64_t> buffers;   ///< bytes of the buffers behind arguments, by the argument's place among them
  std::set<int> equal;                   ///< those of them that hold one value everywhere
  std::map<int, CallArgument> fills;     ///< what buffers hold, where that is known
  std::map<int, std::uint32_t> words;    ///< 32 bits of arguments that are no addresses, by their place
  bool arguments_known = false;          ///< whether all other arguments are no addresses

  [[nodiscard]] int threads() const { return block[0] * block[1] * block[2]; }
};

/// What an access to memory needs of the memory system, on the average of the followed warps of a block.
struct AccessPattern {
  bool deduced = false;    ///< else lanes are taken to be next to each other
  bool scattered = false;  ///< data decide the addresses; lanes are taken to be at random places
  bool aligned = true;     ///< whether it is known where in a sector of 32 bytes the first lane is
  double wavefronts = 1;   ///< turns of the banks of shared memory
  double sectors = 4;      ///< of 32 bytes of global memory
  double lines = 1;        ///< of 128 bytes
  double new_sectors = 4;  ///< those that no other followed warp of the block touches, nor a load before
  double used = 128;       ///< bytes of those sectors that a warp asks for
  double sent = 1;         ///< part of a store's sectors that leaves L1; the rest leaves with an earlier store
  bool by_block = true;    ///< whether blocks may have different addresses
  double sharers = 1;      ///< blocks of the grid that have the same addresses; 1 if the grid is not known
  int parameter = -1;      ///< the argument that the address is based on, by its place among them; -1: not known

  bool operator==(const AccessPattern&) const = default;
};

/// A pattern whose lanes are `stride` bytes apart.
[[nodiscard]] AccessPattern strided_pattern(const Instruction& instruction, std::int64_t stride);

/// Lanes next to each other.
[[nodiscard]] AccessPattern assumed_pattern(const Instruction& instruction);

/// Jumps of which only one way is gone, by index: whether that of the jump.
using OnlyWays = std::map<std::size_t, bool>;

/// The patterns of all accesses to shared and global memory, by their index. Addresses are followed from the indices of
/// threads and blocks through the arithmetic of the machine code and along all paths. What depends on an unknown factor
/// is not deduced. What data decide is at random places, with the alignment that the arithmetic leaves.
[[nodiscard]] std::map<std::size_t, AccessPattern> access_patterns(const Listing& listing, const KernelFacts& facts,
                                                                   const LaunchShape& shape, const OnlyWays& ways = {});

}  // namespace warpclock
