#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "code/listing.hpp"
#include "code/semantics.hpp"

namespace warpclock {

/// Which instructions of a window produce the registers that others read. Indices are the listing's; slots are relative
/// to `first`.
struct DefUse {
  std::size_t first = 0;
  std::vector<Effects> effects;
  /// [slot][source operand] -> indices of the instructions whose result the operand reads; the last entry is the guard
  /// predicate. A result written under a predicate is listed together with the older value that it may leave in place.
  std::vector<std::vector<std::vector<std::size_t>>> producers;

  [[nodiscard]] std::size_t end() const { return first + effects.size(); }
};

/// Def-use relations of the instructions first <= i < last.
[[nodiscard]] DefUse def_use(const Listing& listing, std::size_t first, std::size_t last);

/// What a chain probe claims.
struct ChainClaim {
  std::vector<bool> target;    ///< per slot
  std::int64_t depth = 0;      ///< every target lies on a path of exactly this many targets
  std::optional<int> operand;  ///< the chain runs only through this source operand; no other may depend on a target
};

/// Indices of the targets along one longest path, or a sentence that says how the chain is broken.
[[nodiscard]] std::expected<std::vector<std::size_t>, std::string> find_chain(const Listing& listing,
                                                                              const DefUse& uses,
                                                                              const ChainClaim& claim);

/// Cycles between the issue of an instruction and the next issue of its warp, as its control field encodes them: the
/// stall count, but at least two if the yield hint is set (seen on sm_90: chains of HMMA.1688 are encoded as stalls of
/// 15 and of 1 with the hint, and take 17 cycles a link).
[[nodiscard]] int issue_distance(const Control& control);

/// The cycles from one repeat to the next that the machine code determines.
struct Distance {
  double stalls = 0;  ///< cycles that its control fields encode
  double waits = 0;   ///< that the hardware is known to add to them (verify/waits.hpp)

  [[nodiscard]] double cycles() const { return stalls + waits; }
};

/// For a chain of n repeats: the cycles from the issue of the first target in `path` to the issue of the first target
/// of the last repeat, divided by n - 1. Nothing if an instruction in between waits for a scoreboard, because then the
/// distance is not encoded.
[[nodiscard]] std::optional<Distance> encoded_distance(const Listing& listing, const std::vector<std::size_t>& path,
                                                       std::int64_t n);

/// Indices along a longest chain of instructions that feed each other through registers, over first <= i < last. A call
/// is taken to depend on everything before it and to feed everything after it, because what it does to registers is not
/// in the straight path of the listing. B2R.RESULT reads what the last reducing barrier before it found.
[[nodiscard]] std::vector<std::size_t> longest_path(const Listing& listing, std::size_t first, std::size_t last);

/// Instructions whose result is neither read nor overwritten.
[[nodiscard]] std::set<std::size_t> unread_results(const DefUse& uses);

}  // namespace warpclock
