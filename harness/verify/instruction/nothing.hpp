#pragma once

#include <cstddef>
#include <string>

#include "code/listing.hpp"
#include "ptx/instruction.hpp"

namespace warpclock {

/// Why no machine instruction of the isolated kernel's window depends on the operands: what the kernel stores as the
/// results was loaded as an operand, is a constant, or was there before the window.
[[nodiscard]] std::string why_nothing_depends(const Listing& listing, std::size_t open, std::size_t close,
                                              const PtxInstruction& instruction);

}  // namespace warpclock
