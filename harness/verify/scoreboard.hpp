#pragma once

#include <cstddef>
#include <optional>

#include "code/listing.hpp"

namespace warpclock {

/// An instruction of the window that waits for what was begun before it.
struct Leak {
  std::size_t setter = 0;  ///< index of the instruction whose scoreboard is still set at the opening read
  std::size_t waiter = 0;  ///< index of the instruction in the window that waits for it
  int scoreboard = 0;
};

/// Follows the six scoreboards of a warp over every path through the kernel, to the fixed point, and answers the first
/// wait between `open` and `close`, the latter included, for an instruction outside the window. What the opening read
/// itself waits for is over when it issues. Results count on every path; that an instruction has read its sources (a
/// store that fills shared memory, say) counts from one pass through the window to the next: it takes a few cycles, no
/// code can wait for it on purpose, and the first pass is not the one that is recorded.
[[nodiscard]] std::optional<Leak> find_leak(const Listing& listing, std::size_t open, std::size_t close);

/// Whether the result comes through a cache: it may take hundreds of cycles.
[[nodiscard]] bool from_memory(const Instruction& instruction);

/// The same between `access`, which prepares the window, and the opening read, for results from memory: those of shared
/// memory, constants and special registers take some twenty cycles. The first pass is not the one that is recorded, so
/// what was issued before it counts only in a kernel without passes.
[[nodiscard]] std::optional<Leak> find_late_wait(const Listing& listing, std::size_t access, std::size_t open);

}  // namespace warpclock
