#pragma once

#include <cstdint>
#include <optional>

#include "build/listing.hpp"

namespace warpclock {

/// Instructions that one warp executes of a kernel of ptx/kernel.hpp, counted in its code: what stands before the loop
/// over the window, the loop once a pass, in it the loop inside the window once a trip if there are several, and what
/// follows up to the first exit. Branches forward are not taken: they skip what is there for kernels with no pass, or a
/// copy whose guard is false, and none is. The first exit is taken. Nothing where anything else branches, or calls.
[[nodiscard]] std::optional<std::int64_t> executed_instructions(const Listing& listing, int passes, int trips = 1);

}  // namespace warpclock
