#pragma once

#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include "code/listing.hpp"

namespace warpclock {

/// Whether the instruction may transfer control (BRA, CALL, EXIT and the like), so that the next one issued need not be
/// the next in the listing.
[[nodiscard]] bool is_jump(const Instruction& instruction);

/// Index of the instruction that a jump names; the listing's size if it names none (indirect, or in another section).
[[nodiscard]] std::size_t target_index(const Listing& listing, const Instruction& instruction);

/// Indices of the instructions that may issue after `index`. A call is assumed to return to the next instruction.
[[nodiscard]] std::vector<std::size_t> successors(const Listing& listing, std::size_t index);

/// The first index of the longest loop that lies in [first, end), and the index after its last; nothing if there is no
/// loop.
[[nodiscard]] std::optional<std::pair<std::size_t, std::size_t>> widest_loop(const Listing& listing, std::size_t first,
                                                                             std::size_t end);

}  // namespace warpclock
