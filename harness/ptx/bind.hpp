#pragma once

#include <string>
#include <vector>

#include "base/error.hpp"
#include "ptx/form.hpp"
#include "ptx/instruction.hpp"

namespace warpclock {

/// One operand of a line, understood, and how it stands there.
struct Bound {
  Operand operand;
  bool placeholder = false;  ///< the operand's name is the line's own
  bool negated = false;
  bool pair = false;    ///< a '|' before it, not a comma
  bool packed = false;  ///< a vector where the table would have one register as well
  bool fixed = false;   ///< a register may stand here, and was given a safe value instead
  std::string suffix;   ///< ".b0"
  /// As the line spells them, element by element: "%r1", "{a}". Of a constant, the one that it took the place of.
  std::vector<std::string> registers;
};

/// Error "ptx" with the operand's name and place.
[[nodiscard]] Expected<Bound> bind_operand(const PtxLine& line, const Match& match);

}  // namespace warpclock
