#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include "code/listing.hpp"

namespace warpclock {

/// An instruction of the window that waits for work issued before the window.
struct Leak {
  std::size_t setter = 0;  ///< index of the instruction whose scoreboard is still set at the opening read
  std::size_t waiter = 0;  ///< index of the instruction in the window that waits for it
  int scoreboard = 0;
};

/// Follows the six scoreboards of a warp over every path through the kernel, to the fixed point. Returns the first wait
/// between `open` and `close` (inclusive) for an instruction outside the window. What the opening read itself waits for
/// has completed when it issues. Scoreboards for results count on every path. Scoreboards for sources that have been
/// read (by a store to shared memory, say) count only from one pass through the window to the next: they are held for a
/// few cycles, no code can wait for them on purpose, and the first pass is not recorded.
[[nodiscard]] std::optional<Leak> find_leak(const Listing& listing, std::size_t open, std::size_t close);

/// Whether the result comes through a cache, so that it may take hundreds of cycles.
[[nodiscard]] bool from_memory(const Instruction& instruction);

/// Like find_leak(), for waits between `access`, which prepares the window, and the opening read. Only results from
/// memory count, because those from shared memory, constants and special registers take some twenty cycles. The first
/// pass is not recorded, so what was issued before it counts only in a kernel without passes.
[[nodiscard]] std::optional<Leak> find_late_wait(const Listing& listing, std::size_t access, std::size_t open);

/// An instruction that the hardware delays beyond the stall count before it.
struct IssueWait {
  int later;            ///< cycles
  int settled;          ///< cycles that must be between the issue of what wrote one of its factors and its own
  int low_earlier;      ///< the first register of its own result is ready this many cycles before the others
  std::size_t factors;  ///< how many of its first sources it waits for
};

/// Nothing for an instruction that the hardware does not delay, and for architectures that were not measured.
[[nodiscard]] std::optional<IssueWait> issue_wait(std::string_view target, const Instruction& instruction);

/// Cycles that the hardware adds to the stall counts between the issues of instructions `first` and `last` of
/// straight-line code. Source: measurements with patched stall counts, and recorded windows to the cycle
/// (docs/findings.md, "Instruction issue"). Zero for architectures that were not measured.
[[nodiscard]] int waited_cycles(const Listing& listing, std::size_t first, std::size_t last);

}  // namespace warpclock
