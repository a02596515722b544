#pragma once

#include "base/error.hpp"
#include "compose/copies/body.hpp"
#include "compose/copies/known_forms.hpp"
#include "ptx/instruction.hpp"

namespace warpclock {

/// The body for a chain through the link. If the result of a copy cannot be the operand of the next one as it is, a
/// word at the end of the copy turns it into that: an addition of the loaded zero to the address, or a move between
/// registers and predicates. Error "compose" if no single word does so.
[[nodiscard]] Expected<Body> linked_body(Body body, const PtxInstruction& instruction, Link link,
                                         const KnownForms& forms);

}  // namespace warpclock
