#pragma once

#include <string>
#include <vector>

#include "ptx/instruction.hpp"

namespace warpclock {

/// An instruction that must be distinguished from others in its family.
struct Form {
  std::string ptx;  ///< "setp.lt.s32 {p}|{q}, {a}, {b}"
  Choices choices;
};

/// "setp.lt.s32 {p}|{q}, {a}" -> "setp.lt.s32"
[[nodiscard]] std::string mnemonic_of(const std::string& ptx);

/// A name for each form: its mnemonic, followed in brackets by the choices for its operands ("[b=imm:3]"). If other
/// forms have the same mnemonic, the brackets also hold the terms that are not one plain operand ("[p|q]", "[%tid.x]",
/// "[16,b]") or not present in all of these forms ("[c]"). Only equal forms get equal names.
[[nodiscard]] std::vector<std::string> names_of(const std::vector<Form>& forms);

}  // namespace warpclock
