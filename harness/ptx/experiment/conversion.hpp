#pragma once

#include <cstddef>
#include <functional>
#include <string>

#include "ptx/experiment/experiment.hpp"
#include "ptx/instruction.hpp"

namespace warpclock {

/// PTX that turns result `link.from` into source `link.to` if their sizes differ: the code between two links of a
/// chain. `name(operand, element)` returns a register. Taking half of a register pair costs no machine instruction. The
/// cost of other conversions is determined from the machine code and subtracted (verify/instruction/inspect.hpp).
[[nodiscard]] std::string conversion(const PtxInstruction& instruction, Link link,
                                     const std::function<std::string(std::size_t, int)>& name);

}  // namespace warpclock
