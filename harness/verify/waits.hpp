#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include "code/listing.hpp"

namespace warpclock {

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
