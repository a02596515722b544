#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <vector>

#include "code/listing.hpp"
#include "code/semantics.hpp"

namespace warpclock {

/// Who feeds whom inside a window, through registers. Indices are the listing's; slots are relative to `first`.
struct DefUse {
  std::size_t first = 0;
  std::vector<Effects> effects;
  /// [slot][source operand] -> indices whose result the operand reads; the last entry is the guard predicate. A result
  /// written under a predicate stands beside the value that it may leave in place.
  std::vector<std::vector<std::vector<std::size_t>>> producers;

  [[nodiscard]] std::size_t end() const { return first + effects.size(); }
};

/// Over the instructions first <= i < last.
[[nodiscard]] DefUse def_use(const Listing& listing, std::size_t first, std::size_t last);

/// What a chain probe claims.
struct ChainClaim {
  std::vector<bool> target;    ///< per slot
  std::int64_t depth = 0;      ///< every target stands on a path of exactly this many targets
  std::optional<int> operand;  ///< through this source operand alone; the others carry no result of a target
};

/// Indices of the targets along one longest path, or the sentence that says how the chain is broken.
[[nodiscard]] std::expected<std::vector<std::size_t>, std::string> find_chain(const Listing& listing,
                                                                              const DefUse& uses,
                                                                              const ChainClaim& claim);

/// Cycles from an instruction's issue to the next of its warp, as its control field encodes them: the stall count, but
/// two at least where the yield hint is set (seen on sm_90: chains of HMMA.1688 are encoded as stalls of 15 and of 1
/// with the hint, and take 17 cycles a link).
[[nodiscard]] int issue_distance(const Control& control);

/// What machine code says of the cycles from one repeat to the next.
struct Distance {
  double stalls = 0;  ///< that its control fields encode
  double waits = 0;   ///< that the hardware is known to add to them (verify/waits.hpp)

  [[nodiscard]] double cycles() const { return stalls + waits; }
};

/// Of a chain of n repeats: from the issue of the first target of `path` to that of the first of the last repeat, over
/// n - 1. Nothing when an instruction in between waits for a scoreboard: then the distance is not encoded.
[[nodiscard]] std::optional<Distance> encoded_distance(const Listing& listing, const std::vector<std::size_t>& path,
                                                       std::int64_t n);

}  // namespace warpclock
