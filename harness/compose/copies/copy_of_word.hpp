#pragma once

#include <cstddef>
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

/// Whether a block whose first register has this number would be on top of one that the words of a copy write.
[[nodiscard]] bool meets_written(const Body& body, const BlockPlaces& places, const Block& block, int first);

/// Whether it would be on top of the result `operand` of a copy.
[[nodiscard]] bool meets_result(const Body& body, const BlockPlaces& places, std::size_t operand, const Block& block,
                                int first);

/// The word of the body with the registers of these places. Blocks in `again`, which may be empty, are read by the next
/// copy as well: reuse flags keep them if their bank has no time to give them again. Error "compose" if the
/// disassembler would not read the word, and those of with_number().
[[nodiscard]] Expected<Copy> copy_of(const Body& body, const BodyWord& word, const BlockPlaces& places,
                                     const BlockPlaces& again);

}  // namespace warpclock
