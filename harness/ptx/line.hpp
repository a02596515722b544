#pragma once

#include <cctype>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"

namespace warpclock {

/// Length of the PTX number at the beginning of the text, including the sign; 0 if there is none. Accepts integers in
/// decimal, hexadecimal, octal and binary with an optional U, decimal fractions, and 0f / 0d with the bits of a float.
[[nodiscard]] std::size_t number_length(std::string_view text);

/// The value of an integer without a sign in any of these notations; none for a fraction and above 64 bits.
[[nodiscard]] std::optional<std::uint64_t> integer_of(std::string_view text);

[[nodiscard]] inline bool is_number(std::string_view text) {
  return !text.empty() && number_length(text) == text.size();
}

/// Reads words from left to right. The first error is kept; anything read after it is ignored.
class Scanner {
 public:
  explicit Scanner(std::string_view text, std::size_t at = 0) : text_(text), at_(at) {}

 protected:
  [[nodiscard]] static bool is_name_start(char c) {
    return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '$' || c == '%';
  }
  [[nodiscard]] static bool is_word(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '$';
  }

  [[nodiscard]] bool at_end() const { return at_ >= text_.size(); }
  [[nodiscard]] char peek(std::size_t ahead = 0) const {
    return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0';
  }
  [[nodiscard]] int line_of(std::size_t at) const;
  [[nodiscard]] int column_of(std::size_t at) const;

  void reject(std::size_t at, std::string why);
  void expected(std::string_view what);

  /// Skips blanks and comments.
  void skip();
  /// Takes `c` and the blanks after it. Also false after an error, so that reading stops.
  bool accept(char c);
  std::string_view take(bool (*belongs)(char));
  /// Takes a name without a dot: of a label, an opcode, a register.
  std::string name(std::string_view what);
  std::string number();

  std::string_view text_;
  std::size_t at_;
  std::optional<Error> error_;

 private:
  /// The text at the current position, as an error shows it.
  [[nodiscard]] std::string found() const;
};

/// One operand of a PTX statement as written.
struct PtxTerm {
  enum class Kind {
    Name,         ///< `%f1`, `x`, `%laneid`, `%tid.x`, `WARP_SZ`, `%r1.b0`, `(retval)`: text
    Placeholder,  ///< `{d}`: text is the name in braces and a selector after them: "d", "d.b0"
    Immediate,    ///< `0x1f`, `-3`, `1.5`, `0f3F800000`: text
    Vector,       ///< `{%f1, %f2}`: items
    Address,      ///< `[%rd1+16]`, `[{a}]`, `[%rd1, {%r1, %r2}]`: items (base first), offset
    Pair,         ///< `%p1|%p2`: two items
    Sink,         ///< `_`
  };
  Kind kind = Kind::Name;
  std::string text;
  bool negated = false;  ///< `!%p1`
  std::vector<PtxTerm> items;
  std::string offset;        ///< Address: "+16", "+-4", or empty
  int line = 1, column = 1;  ///< where it begins; counted from 1, columns in bytes

  bool operator==(const PtxTerm&) const = default;
};

/// One PTX statement (PTX ISA, "Instruction statements"), parsed but not yet analysed.
struct PtxLine {
  std::string guard;  ///< "p" from `@{p}` or `@p`, "%p1"; empty if unguarded
  bool guard_negated = false;
  std::string opcode;                  ///< "fma"
  std::vector<std::string> modifiers;  ///< {"rn", "f32"}; "L1::no_allocate" is one
  std::vector<PtxTerm> operands;
  int line = 1, column = 1;  ///< of the opcode

  /// "fma.rn.f32"
  [[nodiscard]] std::string mnemonic() const;

  bool operator==(const PtxLine&) const = default;
};

inline constexpr std::size_t max_ptx_bytes = 4096;

/// Parses one statement of at most max_ptx_bytes. A semicolon at its end, labels before it and comments are allowed.
/// The text is foreign input: error "ptx" with `place` = "line:column" (counted from 1, line 1 unless the text has
/// several), never a crash.
[[nodiscard]] Expected<PtxLine> parse_ptx(std::string_view text);

/// Parses the statement of `text` that begins at `at`, and moves `at` after its semicolon. Places are those in `text`.
[[nodiscard]] Expected<PtxLine> parse_statement(std::string_view text, std::size_t& at);

/// The statement as PTX: `@!%p1 fma.rn.f32 %f1, %f2, %f3, %f4`. parse_ptx() of it gives the same statement, except for
/// columns.
[[nodiscard]] std::string to_string(const PtxLine& line);

}  // namespace warpclock
