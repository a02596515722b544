#pragma once

#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include "code/listing.hpp"

namespace warpclock {

/// Whether the next instruction issued need not be the one behind it: BRA, CALL, EXIT and their kin.
[[nodiscard]] bool is_jump(const Instruction& instruction);

/// Index of the instruction a jump names; the listing's size when it names none (indirect, or in another section).
[[nodiscard]] std::size_t target_index(const Listing& listing, const Instruction& instruction);

/// Indices that may be issued after `index`. A call is taken to return behind itself.
[[nodiscard]] std::vector<std::size_t> successors(const Listing& listing, std::size_t index);

/// First index of, and one behind the last of, the longest loop that lies in [first, end); nothing where there is none.
[[nodiscard]] std::optional<std::pair<std::size_t, std::size_t>> widest_loop(const Listing& listing, std::size_t first,
                                                                             std::size_t end);

}  // namespace warpclock
