#pragma once

#include <string>
#include <vector>

#include "base/error.hpp"
#include "ptx/form.hpp"
#include "ptx/instruction.hpp"

namespace warpclock {

/// One operand of a line, analysed, and how the line writes it.
struct Bound {
  Operand operand;
  bool placeholder = false;  ///< the line itself names the operand
  bool negated = false;
  bool pair = false;    ///< a '|' precedes it, not a comma
  bool packed = false;  ///< a vector although the table also allows a single register
  bool fixed = false;   ///< a register is allowed here but was replaced by a safe constant
  std::string suffix;   ///< ".b0"
  /// As the line spells the registers, element by element: "%r1", "{a}". For a constant, the register that it replaced.
  std::vector<std::string> registers;
};

/// Error "ptx" with the operand's name and place.
[[nodiscard]] Expected<Bound> bind_operand(const PtxLine& line, const Match& match);

/// Error "ptx" where compilers give such a name to registers of another size: "%rd3" to those of 64 bits.
[[nodiscard]] Expected<void> fits_its_names(const PtxLine& line, const Match& match, const Bound& bound);

}  // namespace warpclock
