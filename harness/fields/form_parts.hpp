#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace warpclock {

/// An operand of a form: "-|R#|.H0_H0" is "-|", "R#" and ".H0_H0". An address is not taken apart.
struct FormOperand {
  std::string marks;   ///< before it: -, ~, !, |
  std::string what;    ///< the register, sink, number, constant, address or special register
  std::string suffix;  ///< behind it, with its points

  bool operator==(const FormOperand&) const = default;
};

/// The key of a form, taken apart.
struct FormParts {
  std::string opcode;                  ///< "FFMA"
  std::vector<std::string> modifiers;  ///< {"FTZ"}
  std::vector<FormOperand> operands;
};

/// "@PT FFMA.FTZ R#, R#, -R#, R#". Any text has parts.
[[nodiscard]] FormParts parts_of(std::string_view key);

/// One thing in which two forms differ. What it is changed from and to are sorted, because a difference has no
/// direction.
struct FormChange {
  enum class Kind : std::uint8_t { Modifier, Marks, What, Suffix };
  Kind kind = Kind::Modifier;
  std::string one, other;  ///< empty: it is not there
  int operand = -1;        ///< of What: which operand of the form

  auto operator<=>(const FormChange&) const = default;
};

/// "FTZ or none", "LT or GE", "- or none", "UR# or R#".
[[nodiscard]] std::string in_words(const FormChange& change);

/// The ways to turn one form into the other: each modifier that only one of them has is left out, or stands in place of
/// one of the other's. One way without changes for equal forms; none if the opcodes, the numbers of operands or the
/// orders of the modifiers that both have differ, or if more than `most` things do.
[[nodiscard]] std::vector<std::vector<FormChange>> changes_between(const FormParts& one, const FormParts& other,
                                                                   std::size_t most);

}  // namespace warpclock
