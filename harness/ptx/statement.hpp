#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "ptx/instruction.hpp"
#include "ptx/opcodes.hpp"
#include "ptx/snippet.hpp"

namespace warpclock {

/// A statement of a block, described, with the registers that it has.
struct Statement {
  PtxInstruction instruction;
  std::vector<std::vector<std::string>> registers;  ///< of each operand, element by element; none for a constant
  std::vector<std::string> places;                  ///< of each operand, "line:column"
  std::string guard;                                ///< its register, or empty
  std::string text, place;
  bool makes_carry = false, takes_carry = false;
};

/// A register where a statement reads or writes it.
struct Use {
  std::string name, type;
  RegisterClass file = RegisterClass::B32;
  bool wider = false;  ///< the instruction takes larger registers as well
  std::string value, place;
};

[[nodiscard]] Expected<std::vector<Statement>> statements_of(const PtxSnippet& snippet, const OpcodeTable& table);

/// In the order in which they stand there.
[[nodiscard]] std::vector<Use> uses_of(const std::vector<Statement>& statements);

/// The class of every register: what a `.reg` line says, else what its uses agree on. Error "ptx" where they do not.
[[nodiscard]] Expected<std::map<std::string, RegisterClass>> register_files(const std::vector<Statement>& statements,
                                                                            const PtxSnippet& snippet);

}  // namespace warpclock
