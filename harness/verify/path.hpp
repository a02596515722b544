#pragma once

#include <cstddef>
#include <functional>
#include <set>
#include <vector>

#include "code/listing.hpp"
#include "verify/chain.hpp"

namespace warpclock {

/// Indices along a longest chain of instructions that feed each other through registers, over first <= i < last, and
/// through none that `avoid` names. A call takes what came before it and gives what comes after it: what it does to
/// registers is not in the listing's straight path. B2R.RESULT reads what the last reducing barrier before it found.
[[nodiscard]] std::vector<std::size_t> longest_path(
    const Listing& listing, std::size_t first, std::size_t last,
    const std::function<bool(const Instruction&)>& avoid = [](const Instruction&) { return false; });

/// Instructions whose result nobody reads and nobody overwrites.
[[nodiscard]] std::set<std::size_t> unread_results(const DefUse& uses);

}  // namespace warpclock
