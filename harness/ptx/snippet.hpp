#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "ptx/instruction.hpp"
#include "ptx/line.hpp"
#include "ptx/opcodes.hpp"

namespace warpclock {

/// Consecutive PTX statements, as in a listing, not yet analysed.
struct PtxSnippet {
  std::vector<PtxLine> lines;  ///< a register of a `{ ... }` that hides another one is renamed
  /// The declarations of `.reg` lines: the type of a name and, for `%f<9>`, of a prefix with a number.
  std::map<std::string, std::string> names, prefixes;

  /// The declared type of a register, or "".
  [[nodiscard]] std::string type_of(const std::string& name) const;
};

inline constexpr std::size_t max_snippet_bytes = 65536;
inline constexpr std::size_t max_snippet_statements = 256;

/// Parses statements, comments, braces and `.reg` lines; `.loc` and `.pragma` are skipped. The text is foreign input:
/// errors "ptx" and "ptx-unsupported" (a label, another directive) with `place` = "line:column", never a crash.
[[nodiscard]] Expected<PtxSnippet> parse_snippet(std::string_view text);

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
