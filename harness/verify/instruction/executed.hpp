#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "code/listing.hpp"

namespace warpclock {

/// Instructions that one warp executes of a kernel of ptx/experiment/kernel.hpp, counted in its code: what stands
/// before the loop over the window, the loop once a pass, in it the loop inside the window once a trip if there are
/// several, and what follows up to the first exit. Branches forward are not taken: they skip what is there for kernels
/// with no pass, or a copy whose guard is false, and none is. The first exit is taken. Nothing where anything else
/// branches, or calls.
[[nodiscard]] std::optional<std::int64_t> executed_instructions(const Listing& listing, int passes, int trips = 1);

/// Instructions by opcode, with its modifiers, and kind (verify/instruction/expansion.hpp).
using Code = std::map<std::pair<std::string, std::string>, std::int64_t>;

/// The same instructions, each where it belongs.
[[nodiscard]] std::optional<Code> executed_code(const Listing& listing, int passes, int trips = 1);

/// What stands between two places of a listing, whatever is executed of it.
[[nodiscard]] Code code_between(const Listing& listing, std::size_t first, std::size_t last);

}  // namespace warpclock
