#pragma once

#include <string>
#include <vector>

#include "ptx/instruction.hpp"

namespace warpclock {

/// What the timed copies meet, one phrase each: "the phase is complete", "the comparison holds", "no access is
/// outstanding". An instruction whose time depends on it has another time elsewhere. Empty if the time depends on
/// nothing that the kernels set up.
[[nodiscard]] std::vector<std::string> conditions_of(const PtxInstruction& instruction);

}  // namespace warpclock
