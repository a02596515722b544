#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"

namespace warpclock {

/// An instruction as the GPU has it.
struct Word {
  std::uint64_t low = 0, high = 0;

  auto operator<=>(const Word&) const = default;
};

/// What an instruction is printed as, wherever it stands.
struct WordText {
  std::string text;                      ///< "@!P0 IADD3 R0, R1, R2, RZ"; "BRA " of a branch: without its target
  std::optional<std::int64_t> distance;  ///< from the instruction's address to the target's, in bytes
  std::size_t at = 0;                    ///< where in `text` the target belongs

  bool operator==(const WordText&) const = default;
};

/// The words of machine code; what is behind the last whole one is left out.
[[nodiscard]] std::vector<Word> words_of(std::string_view code);

/// Appends the 16 bytes of a word.
void append_word(std::string& code, Word word);

/// The text of an instruction that is printed as `first` at the address `at`, and as `second` where it stands `shift`
/// bytes further on. Nothing when the two differ in anything but one number that moves along.
[[nodiscard]] std::optional<WordText> word_text(std::string_view first, std::string_view second, std::uint64_t at,
                                                std::uint64_t shift);

/// The texts in what `nvdisasm -hex -b` printed for `words` from the address `base` on, without blanks and semicolons
/// at their ends. Foreign input: error "listing" when it is not these words, one after the other.
[[nodiscard]] Expected<std::vector<std::string_view>> raw_texts(std::string_view output, std::span<const Word> words,
                                                                std::uint64_t base);

}  // namespace warpclock
