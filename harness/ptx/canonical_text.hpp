#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "ptx/bind.hpp"
#include "ptx/instruction.hpp"

namespace warpclock {

/// A position of an operand in the text. The same operand may have two.
struct Spot {
  std::size_t operand;
  Bound how;
};

/// Writes the text and the pieces of an instruction whose operands are known. `apart`: registers that occur twice are
/// written twice.
void write_text(const PtxLine& line, const std::vector<Spot>& spots, std::optional<std::size_t> guard, bool apart,
                PtxInstruction& result);

}  // namespace warpclock
