#pragma once

#include <cstddef>
#include <span>

#include "code/listing.hpp"
#include "inspect/inspection.hpp"

namespace warpclock {

/// What the instructions with these indices, in the order of the listing, are made of. `branched` stays 0.
[[nodiscard]] Mix mix_of(const Listing& listing, std::span<const std::size_t> indices);

}  // namespace warpclock
