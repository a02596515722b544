#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "ptx/instruction.hpp"
#include "ptx/opcodes.hpp"
#include "ptx/snippet.hpp"

namespace warpclock {

/// A statement of a block, analysed, with its registers.
struct Statement {
  PtxInstruction instruction;
  std::vector<std::vector<std::string>> registers;  ///< by operand and element; none for a constant
  std::vector<std::string> places;                  ///< by operand, "line:column"
  std::string guard;                                ///< register of the guard, or empty
  std::string text, place;
  bool makes_carry = false, takes_carry = false;
};

/// One read or write of a register by a statement.
struct Use {
  std::string name, type;
  RegisterClass file = RegisterClass::B32;
  bool wider = false;  ///< the instruction also takes larger registers
  std::string value, place;
};

[[nodiscard]] Expected<std::vector<Statement>> statements_of(const PtxSnippet& snippet, const OpcodeTable& table);

/// In the order of the text.
[[nodiscard]] std::vector<Use> uses_of(const std::vector<Statement>& statements);

/// The class of every register: the one in a `.reg` line, else the one on which its uses agree. Error "ptx" if they
/// disagree.
[[nodiscard]] Expected<std::map<std::string, RegisterClass>> register_files(const std::vector<Statement>& statements,
                                                                            const PtxSnippet& snippet);

}  // namespace warpclock
