#pragma once

#include "code/listing.hpp"
#include "execute/forms/code_step.hpp"

namespace warpclock {

/// What a warp does with the instruction.
[[nodiscard]] StepKind step_kind(const Instruction& instruction);

/// Notes what its modifiers say: flags, relations, and for accesses the memory, the bytes and the operation. `kind` is
/// set before.
void read_modifiers(const Instruction& instruction, CodeStep& step);

}  // namespace warpclock
