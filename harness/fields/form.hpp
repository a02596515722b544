#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "code/listing.hpp"
#include "code/word.hpp"
#include "fields/skeleton.hpp"

namespace warpclock {

inline constexpr std::int64_t scoreboards = 6;

/// Where a numeral stands in the 128 bits of a word.
struct Field {
  std::vector<std::uint8_t> bits;     ///< of the word, the least significant first; empty where they are not known
  std::optional<std::uint8_t> reuse;  ///< the bit that keeps the register in the operand's cache

  [[nodiscard]] bool known() const { return !bits.empty(); }
  bool operator==(const Field&) const = default;
};

/// Cycles that a fixed latency may have: what is read later was not waited for.
constexpr int most_encoded = 256;

/// A word that ptxas made, and where its numbers stand: what is needed to write the same instruction with other
/// registers, predicates, offsets and immediates. Bits that say something else (modifiers, what the text leaves out)
/// stay as they are in the word.
struct WordForm {
  Word word;
  Skeleton skeleton;          ///< of the word
  std::vector<Field> fields;  ///< of each numeral
  /// Of a fixed latency: the fewest cycles that ptxas leaves between it and the first instruction that reads its
  /// result, in the kernels of the catalogue; stores and others that read their operands late do not count.
  std::optional<int> encoded;
};

/// What the disassembler prints for machine code that starts at an address.
using PrintWords = std::function<Expected<std::string>(std::uint64_t base, const std::string& code)>;

/// What the disassembler refuses to print: the bit of an opcode (bits 0 to 11 of its words), turned over to this value.
struct Refusal {
  std::uint16_t opcode = 0;
  std::uint8_t bit = 0;
  bool to = false;

  auto operator<=>(const Refusal&) const = default;
};

/// What it once refused of an opcode and is not asked again. That depends on the word's other bits, but rarely.
struct Refusals {
  std::set<Refusal> known;
  std::set<std::uint8_t> asked;  ///< bits that are asked of each word all the same

  [[nodiscard]] bool skip(const Refusal& refusal) const { return known.contains(refusal); }
  void add(const Refusal& refusal) {
    if (!asked.contains(refusal.bit)) known.insert(refusal);
  }
};

/// Turns each bit of each word over and reads in the disassembler's text which number has changed by how much. A
/// numeral is known where its bits are worth 1, 2, 4 and so on, or as many times a number's scale. Bits whose words the
/// disassembler refuses say nothing. Two runs of the disassembler; where it refuses bits, one more and one for each.
/// With `refusals` fewer are asked. Errors: the disassembler's for the words as they are; "listing" when its text
/// cannot be read.
[[nodiscard]] Expected<std::vector<WordForm>> learn_forms(std::span<const Word> words, const PrintWords& print,
                                                          Refusals* refusals = nullptr);

/// The word with another number in the place of a numeral; `value` -1 is RZ, URZ, PT or UPT. Error "field" when the
/// numeral's field is not known or the number does not fit.
[[nodiscard]] Expected<Word> with_number(const WordForm& form, Word word, std::size_t numeral, std::int64_t value);

/// The word with a register that stays in its operand's cache, or does not. Error "field" where it cannot.
[[nodiscard]] Expected<Word> with_reuse(const WordForm& form, Word word, std::size_t numeral, bool reuse);

}  // namespace warpclock
