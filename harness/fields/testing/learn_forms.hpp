#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <functional>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/lookup.hpp"
#include "base/text.hpp"
#include "code/listing.hpp"
#include "code/word.hpp"
#include "fields/form.hpp"
#include "fields/skeleton.hpp"

namespace warpclock {

/// Returns the disassembler's output for machine code that starts at an address.
using PrintWords = std::function<Expected<std::string>(std::uint64_t base, const std::string& code)>;

/// What the disassembler rejects: this bit of a word with this opcode (bits 0 to 11), inverted to this value.
struct Refusal {
  std::uint16_t opcode = 0;
  std::uint8_t bit = 0;
  bool to = false;

  auto operator<=>(const Refusal&) const = default;
};

/// What it once rejected for an opcode and is not asked for again. A rejection may also depend on other bits of the
/// word, but rarely does.
struct Refusals {
  std::set<Refusal> known;
  std::set<std::uint8_t> asked;  ///< bits that are tried in each word nevertheless

  [[nodiscard]] bool skip(const Refusal& refusal) const { return known.contains(refusal); }
  void add(const Refusal& refusal) {
    if (!asked.contains(refusal.bit)) known.insert(refusal);
  }
};

namespace learning {

constexpr std::uint64_t base = std::uint64_t{1} << 32;

/// The bits that neither select the instruction (0 to 11, and 91, which marks a source as uniform) nor belong to its
/// control field.
inline std::vector<std::uint8_t> operand_bits() {
  std::vector<std::uint8_t> bits;
  for (std::uint8_t bit = 12; bit <= 125; ++bit) {
    if (bit != 91 && (bit < 105 || bit > 121)) bits.push_back(bit);
  }
  return bits;
}

using Texts = std::vector<std::optional<std::string>>;

/// The text of each word, if the disassembler prints one: for some words it prints only the encoding.
inline Expected<Texts> print_all(std::span<const Word> words, const PrintWords& print) {
  std::string code;
  for (const Word& word : words) append_word(code, word);
  const auto output = WARPCLOCK_TRY(print(base, code));
  Texts texts(words.size());
  for (const std::string& whole : lines(output)) {
    std::string_view line = trim(whole);
    const auto address = take_address(line);
    if (!address || *address < base || (*address - base) / word_bytes >= words.size()) continue;
    const std::size_t i = (*address - base) / word_bytes;
    if (take_encoding(line) != words[i].low) return fail("listing", fmt::format("nvdisasm printed '{}'", whole));
    while (line.ends_with(';')) line = trim(line.substr(0, line.size() - 1));
    texts[i] = line;
  }
  return texts;
}

/// Which of `words` words the disassembler rejects, as far as its message says so; sorted.
inline std::set<std::size_t> refused(std::string_view complaint, std::size_t words) {
  constexpr std::string_view before = " at address 0x";
  std::set<std::size_t> found;
  for (std::size_t at = complaint.find(before); at != complaint.npos; at = complaint.find(before)) {
    complaint.remove_prefix(at + before.size());
    const auto address = hex_number(complaint.substr(0, complaint.find_first_not_of("0123456789abcdef")));
    if (address && *address >= base && (*address - base) / word_bytes < words)
      found.insert((*address - base) / word_bytes);
  }
  return found;
}

/// A word with one bit inverted.
struct Turned {
  Word word;
  Refusal refusal;  ///< the refusal to record if the disassembler rejects the word
};

/// The texts of the words in order, without those that are refused. A run of the disassembler that rejects words prints
/// none, and names all that it came to.
inline Expected<Texts> print_legal(std::span<const Turned> all, const PrintWords& print, Refusals* refusals) {
  const auto is_refused = [&](std::size_t i) { return refusals && refusals->skip(all[i].refusal); };
  const auto words_at = [&](const std::vector<std::size_t>& places) {
    return mapped(places, [&](const std::size_t i) { return all[i].word; });
  };
  Texts texts(all.size());
  const auto take = [&](const std::vector<std::size_t>& places, Texts&& printed) {
    for (std::size_t i = 0; i < places.size(); ++i) texts[places[i]] = std::move(printed[i]);
  };
  std::vector<std::size_t> open(all.size()), before_refused;
  std::iota(open.begin(), open.end(), std::size_t{0});
  while (std::erase_if(open, is_refused), !open.empty()) {
    const std::vector<Word> words = words_at(open);
    if (auto printed = print_all(words, print)) {
      take(open, *std::move(printed));
      break;
    } else {
      // If the message does not name the word, none of the rest can be read.
      const auto bad = refused(printed.error().text, words.size());
      if (bad.empty()) break;
      for (std::size_t i = 0; i < *bad.rbegin(); ++i) {
        if (!bad.contains(i)) before_refused.push_back(open[i]);
      }
      for (const std::size_t i : bad) {
        if (refusals) refusals->add(all[open[i]].refusal);
      }
      open.erase(open.begin(), open.begin() + static_cast<std::ptrdiff_t>(*bad.rbegin()) + 1);
    }
  }
  if (before_refused.empty()) return texts;
  auto printed = WARPCLOCK_TRY(print_all(words_at(before_refused), print));
  take(before_refused, std::move(printed));
  return texts;
}

inline Turned turned(Word word, std::uint8_t bit) {
  const auto opcode = static_cast<std::uint16_t>(word.low & 0xfff);
  const bool to = !bit_of(word, bit);
  return {with_bit(word, bit, to), {opcode, bit, to}};
}

struct Change {
  std::uint8_t bit = 0;
  Numeral to;
};

inline std::int64_t number_of(const Numeral& numeral, std::size_t width) {
  return numeral.last ? (std::int64_t{1} << width) - 1 : numeral.value;
}

inline Field field_of(const Numeral& numeral, const std::vector<Change>& changes) {
  Field field;
  std::map<std::uint64_t, std::uint8_t> by_weight;
  const auto width = static_cast<std::size_t>(
      std::ranges::count(changes, numeral.reuse, [](const Change& change) { return change.to.reuse; }));
  for (const Change& change : changes) {
    if (change.to.reuse != numeral.reuse) {
      field.reuse = change.bit;
      continue;
    }
    const std::int64_t by = number_of(change.to, width) - number_of(numeral, width);
    const auto weight = static_cast<std::uint64_t>(by < 0 ? -by : by);
    if (!std::has_single_bit(weight) || !by_weight.emplace(weight, change.bit).second) return field;
  }
  std::uint64_t next = 1;
  for (const auto& [weight, bit] : by_weight) {
    if (weight != next) return field;
    next *= 2;
  }
  for (const auto& [weight, bit] : by_weight) field.bits.push_back(bit);
  // If nvdisasm rejected a bit of a predicate, the value of its last one (PT) would be wrong.
  const bool predicate = numeral.kind == Numeral::Kind::Predicate || numeral.kind == Numeral::Kind::UniformPredicate;
  if (predicate && field.bits.size() != 3) field.bits.clear();
  return field;
}

/// The one numeral in which two words of one skeleton differ. A guard that is not printed may belong to either file.
inline std::optional<std::size_t> only_difference(const Skeleton& one, const Skeleton& other) {
  if (one.text != other.text) return std::nullopt;
  std::optional<std::size_t> found;
  for (std::size_t i = 0; i < one.numerals.size(); ++i) {
    if (one.numerals[i] == other.numerals[i]) continue;
    const bool other_kind = one.numerals[i].kind != other.numerals[i].kind;
    if (found || (other_kind && !(i == 0 && one.numerals[i].last))) return std::nullopt;
    found = i;
  }
  return found;
}

}  // namespace learning

/// Inverts each bit of each word, and reads from the disassembler's text which number changed and by how much. A
/// numeral is known if its bits are worth 1, 2, 4 and so on, or such multiples of the number's scale. Bits whose words
/// the disassembler rejects give no information. Takes two runs of the disassembler; if it rejects bits, one more run
/// and one for each message that names some of them. `refusals` reduces the number of these. Errors: the disassembler's
/// for the words as they are; "listing" if its text cannot be read.
[[nodiscard]] inline Expected<std::vector<WordForm>> learn_forms(std::span<const Word> words, const PrintWords& print,
                                                                 Refusals* refusals = nullptr) {
  using namespace learning;
  const std::vector<std::uint8_t> bits = operand_bits();
  std::vector<Word> plain;
  std::vector<Turned> others;
  for (const Word& word : words) {
    // If a word hints to yield, the disassembler does not print `.reuse`.
    plain.push_back(with_control(word, {.stall = 1}));
    for (const std::uint8_t bit : bits) others.push_back(turned(plain.back(), bit));
  }
  const auto as_they_are = WARPCLOCK_TRY(print_all(plain, print));
  const auto texts = WARPCLOCK_TRY(print_legal(others, print, refusals));
  std::vector<WordForm> forms;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const auto& text = as_they_are[i];
    if (!text) return fail("listing", fmt::format("nvdisasm has no text for word {}", i));
    WordForm& form = forms.emplace_back(WordForm{words[i], skeleton_of(*text), {}});
    std::vector<std::vector<Change>> changes(form.skeleton.numerals.size());
    for (std::size_t k = 0; k < bits.size(); ++k) {
      const auto& changed = texts[i * bits.size() + k];
      if (!changed) continue;
      const Skeleton other = skeleton_of(*changed);
      const auto numeral = only_difference(form.skeleton, other);
      if (!numeral) continue;
      changes[*numeral].push_back({bits[k], other.numerals[*numeral]});
    }
    if (!changes[0].empty()) form.skeleton.numerals[0].kind = changes[0].front().to.kind;
    for (std::size_t numeral = 0; numeral < changes.size(); ++numeral) {
      form.fields.push_back(field_of(form.skeleton.numerals[numeral], changes[numeral]));
    }
  }
  return forms;
}

}  // namespace warpclock
