#pragma once

#include <optional>
#include <vector>

#include "base/error.hpp"
#include "compose/copies/body.hpp"
#include "compose/wiring.hpp"

namespace warpclock {

/// Where the blocks of one copy are: the first register of each.
using BlockPlaces = std::vector<std::optional<int>>;

/// The number that a register of the body has in a copy. Its block has a place.
[[nodiscard]] int number_in(const Body& body, const BlockPlaces& places, BodyRegister reg);

/// The word of the body with the registers of these places. Blocks in `again`, which may be empty, are read by the next
/// copy as well: reuse flags keep them if their bank has no time to give them again. Error "compose" if the
/// disassembler would not read the word, and those of with_number().
[[nodiscard]] Expected<Copy> copy_of(const Body& body, const BodyWord& word, const BlockPlaces& places,
                                     const BlockPlaces& again);

}  // namespace warpclock
