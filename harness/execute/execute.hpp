#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/error.hpp"
#include "execute/code_program.hpp"
#include "execute/known_memory.hpp"
#include "execute/launch.hpp"
#include "execute/stream.hpp"
#include "inspect/load.hpp"

namespace warpclock {

struct ExecuteLimits {
  /// Of all executed blocks; four times as many where blocks wait for others, of which the path alone is followed.
  std::uint64_t warp_instructions = 4'000'000'000;
  /// The blocks at the end are left out if with one more, as long as those before, there would be more than so many.
  std::uint64_t enough = ~std::uint64_t{0};
  /// Steps after which another warp has its turn, so that one that polls memory does not keep the others from writing
  /// it.
  std::uint64_t turn = 1 << 16;
  /// Blocks run at once: whenever a cluster reads a counter in global memory and adds to it, the others do so as well,
  /// in the order of their numbers. Else blocks run one after the other.
  bool at_once = false;
};

/// Whether the step is an atomic of which it matters how often other blocks have executed it.
[[nodiscard]] bool reads_counter(const CodeStep& step);

/// Executes blocks of a launch, by their numbers (x first), one after the other, each with the others of its cluster,
/// which are not read. What `program` leaves out is counted all the same. Blocks that wait for what others store are
/// executed after these, of which as much is executed as decides their path. Errors: "unknown" if a jump, an address or
/// a barrier depends on what nobody gave: it says what to give; "address" if an access is in no buffer, or outside of
/// shared memory; "deadlock" if all warps wait; "limit" if the run is too long or needs too much memory; "unfollowed"
/// for control flow that is not followed.
[[nodiscard]] Expected<void> execute(const LoadedKernel& kernel, const ExecutedLaunch& launch,
                                     const CodeProgram& program, std::span<const std::uint64_t> blocks,
                                     StreamReader& reader, const ExecuteLimits& limits = {});

/// The same, and what the buffers hold afterwards.
[[nodiscard]] Expected<void> execute(const LoadedKernel& kernel, const ExecutedLaunch& launch,
                                     const CodeProgram& program, std::span<const std::uint64_t> blocks,
                                     StreamReader& reader, GlobalMemory& memory, const ExecuteLimits& limits = {});

/// A block's numbers along x, y and z, and the number of the block that has these.
[[nodiscard]] std::array<std::uint32_t, 3> block_index(const ExecutedLaunch& launch, std::uint64_t block);
[[nodiscard]] std::uint64_t block_number(const ExecutedLaunch& launch, const std::array<std::uint32_t, 3>& index);
/// The number of its cluster (x first), for a block by its numbers along x, y and z.
[[nodiscard]] std::uint64_t cluster_number(const ExecutedLaunch& launch, const std::array<std::uint32_t, 3>& index);
/// Its rank in its cluster.
[[nodiscard]] std::uint32_t cluster_rank(const ExecutedLaunch& launch, std::uint64_t block);

}  // namespace warpclock
