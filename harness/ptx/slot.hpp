#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"

namespace warpclock {

/// One operand in the language of opcodes.yaml (see its head): `=d:T*v`, `pol:fixed=0@L2::cache_hint`, `(c:T)`.
struct Slot {
  enum class Kind {
    Register,  ///< `b`'s word in `type`: T, T0 to T4, wide, or a type
    Pack,      ///< one T or a vector of smaller registers that make it up
    Fragment,  ///< `type` is the matrix: a, b, c, d
    Address,
    Constant,  ///< must be a constant in PTX
    Fixed,     ///< may be a register in PTX, but only `value` is known to be legal
  };
  std::string name;
  Kind kind = Kind::Register;
  std::string type;
  std::string count;  ///< "", "v", "x", "2x" or a number
  std::string space;  ///< Address: empty when the modifiers say
  int bytes = -1;     ///< Address: what is moved through it; -1 when the first operand beside it says
  std::string value;  ///< Constant, Fixed: what a placeholder becomes
  bool written = false, read = true;
  bool optional = false;
  std::vector<std::string> only_with;  ///< it is there when one of these modifiers is
  bool pair = false;                   ///< stands behind the slot before it and a '|'
};

/// One entry of a row's operands, which is two slots when it is a pair. Error "config" without a place.
[[nodiscard]] Expected<std::vector<Slot>> parse_slots(std::string_view text);

}  // namespace warpclock
