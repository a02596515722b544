#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "code/listing.hpp"
#include "code/word.hpp"
#include "fields/skeleton.hpp"

namespace warpclock {

inline constexpr std::int64_t scoreboards = 6;

/// The bits of a numeral in the 128 bits of a word.
struct Field {
  std::vector<std::uint8_t> bits;     ///< of the word, the least significant first; empty if unknown
  std::optional<std::uint8_t> reuse;  ///< the bit that keeps the register in the operand reuse cache

  [[nodiscard]] bool known() const { return !bits.empty(); }
  bool operator==(const Field&) const = default;
};

/// The longest possible fixed latency in cycles: a later read did not wait for the result.
constexpr int most_encoded = 256;

/// A word that ptxas made, and the bits of its numbers. With it the same instruction can be written with other
/// registers, predicates, offsets and immediates. All other bits (modifiers, what the text leaves out) stay as they are
/// in the word.
struct WordForm {
  Word word;
  Skeleton skeleton;          ///< skeleton of the word
  std::vector<Field> fields;  ///< one for each numeral
  /// For a fixed latency: the fewest cycles that ptxas leaves in the catalogue's kernels between the instruction and
  /// the first one that reads its result. Stores and others that read their operands late do not count.
  std::optional<int> encoded;
};

/// The word with another value for one numeral; `value` -1 is RZ, URZ, PT or UPT. Error "field" if the numeral's field
/// is unknown or the number does not fit.
[[nodiscard]] Expected<Word> with_number(const WordForm& form, Word word, std::size_t numeral, std::int64_t value);

/// The word with the reuse flag of a register set or cleared. Error "field" if the register has no such flag.
[[nodiscard]] Expected<Word> with_reuse(const WordForm& form, Word word, std::size_t numeral, bool reuse);

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
