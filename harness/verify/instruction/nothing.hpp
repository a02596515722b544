#pragma once

#include <cstddef>
#include <string>

#include "code/listing.hpp"
#include "ptx/instruction.hpp"

namespace warpclock {

/// Says why no machine instruction in the window of the isolated kernel depends on the operands: the stored results
/// were loaded as operands, are constants, or existed before the window.
[[nodiscard]] std::string why_nothing_depends(const Listing& listing, std::size_t open, std::size_t close,
                                              const PtxInstruction& instruction);

}  // namespace warpclock
