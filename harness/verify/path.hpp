#pragma once

#include <cstddef>
#include <set>
#include <vector>

#include "code/listing.hpp"
#include "verify/chain.hpp"

namespace warpclock {

/// Indices along a longest chain of instructions that feed each other through registers, over first <= i < last. A call
/// is taken to depend on everything before it and to feed everything after it, because what it does to registers is not
/// in the straight path of the listing. B2R.RESULT reads what the last reducing barrier before it found.
[[nodiscard]] std::vector<std::size_t> longest_path(const Listing& listing, std::size_t first, std::size_t last);

/// Instructions whose result is neither read nor overwritten.
[[nodiscard]] std::set<std::size_t> unread_results(const DefUse& uses);

}  // namespace warpclock
