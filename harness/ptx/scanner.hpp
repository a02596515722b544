#pragma once

#include <cctype>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

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

}  // namespace warpclock
