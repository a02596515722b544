#pragma once

#include <string>
#include <vector>

#include "ptx/instruction.hpp"

namespace warpclock {

/// An instruction that is to be told from others of its family.
struct Form {
  std::string ptx;  ///< "setp.lt.s32 {p}|{q}, {a}, {b}"
  Choices choices;
};

/// "setp.lt.s32 {p}|{q}, {a}" -> "setp.lt.s32"
[[nodiscard]] std::string mnemonic_of(const std::string& ptx);

/// One name for each form: its mnemonic, and in brackets what was chosen for its operands ("[b=imm:3]") and, where
/// other forms have the same mnemonic, what is written otherwise than one plain operand ("[p|q]", "[%tid.x]", "[16,b]")
/// or not there in all of them ("[c]"). Only equal forms get equal names.
[[nodiscard]] std::vector<std::string> names_of(const std::vector<Form>& forms);

}  // namespace warpclock
