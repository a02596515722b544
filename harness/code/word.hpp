#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"

namespace warpclock {

/// The number, if `digits` consists of hex digits only.
[[nodiscard]] std::optional<std::uint64_t> hex_number(std::string_view digits);

/// The number in at most eight bytes, the lowest first.
[[nodiscard]] std::uint64_t number_in(std::string_view bytes);

/// In lower case, with leading zeros up to `width` digits.
void append_hex(std::string& to, std::uint64_t number, int width);

/// Cuts off a leading `/*01f0*/` and returns its number; nothing if there is none.
[[nodiscard]] std::optional<std::uint64_t> take_address(std::string_view& line);

/// Cuts off a trailing `/* 0x0c001f0302047589 */` and returns its word; nothing if there is none.
[[nodiscard]] std::optional<std::uint64_t> take_encoding(std::string_view& line);

/// The 16 bytes of an instruction as the GPU executes them.
struct Word {
  std::uint64_t low = 0, high = 0;

  auto operator<=>(const Word&) const = default;
};

inline constexpr std::size_t word_bytes = 16;
/// The word of a NOP.
inline constexpr Word no_operation{0x7918, 0};

/// The text of an instruction, independent of its address.
struct WordText {
  std::string text;                      ///< "@!P0 IADD3 R0, R1, R2, RZ"; a branch lacks its target: "BRA "
  std::optional<std::int64_t> distance;  ///< from the instruction's address to the target's, in bytes
  std::size_t at = 0;                    ///< where in `text` the target belongs

  bool operator==(const WordText&) const = default;
};

/// Whether bit `bit` (0 to 127) is set, and the word with it set or cleared.
[[nodiscard]] bool bit_of(const Word& word, unsigned bit);
[[nodiscard]] Word with_bit(Word word, unsigned bit, bool set);

/// The words of machine code; an incomplete word at the end is left out.
[[nodiscard]] std::vector<Word> words_of(std::string_view code);

/// Appends the 16 bytes of a word.
void append_word(std::string& code, Word word);

/// The text of an instruction that is printed as `first` at the address `at`, and as `second` at an address `shift`
/// bytes higher. Nothing if the two differ in anything but one number that moves by `shift`.
[[nodiscard]] std::optional<WordText> word_text(std::string_view first, std::string_view second, std::uint64_t at,
                                                std::uint64_t shift);

/// The texts that `nvdisasm -hex -b` printed for `words` from the address `base` on, without blanks and semicolons at
/// their ends. The output is foreign input: error "listing" if it is not exactly these words in order.
[[nodiscard]] Expected<std::vector<std::string_view>> raw_texts(std::string_view output, std::span<const Word> words,
                                                                std::uint64_t base);

}  // namespace warpclock
