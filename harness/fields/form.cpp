#include "fields/form.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <limits>
#include <map>
#include <numeric>
#include <utility>

#include "base/lookup.hpp"
#include "base/text.hpp"

namespace warpclock {

namespace {

constexpr std::uint64_t base = std::uint64_t{1} << 32;

/// The bits that neither select the instruction (0 to 11, and 91, which marks a source as uniform) nor belong to its
/// control field.
std::vector<std::uint8_t> operand_bits() {
  std::vector<std::uint8_t> bits;
  for (std::uint8_t bit = 12; bit <= 125; ++bit) {
    if (bit != 91 && (bit < 105 || bit > 121)) bits.push_back(bit);
  }
  return bits;
}

using Texts = std::vector<std::optional<std::string>>;

/// The text of each word, if the disassembler prints one: for some words it prints only the encoding.
Expected<Texts> print_all(std::span<const Word> words, const PrintWords& print) {
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
std::set<std::size_t> refused(std::string_view complaint, std::size_t words) {
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
Expected<Texts> print_legal(std::span<const Turned> all, const PrintWords& print, Refusals* refusals) {
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

Turned turned(Word word, std::uint8_t bit) {
  const auto opcode = static_cast<std::uint16_t>(word.low & 0xfff);
  const bool to = !bit_of(word, bit);
  return {with_bit(word, bit, to), {opcode, bit, to}};
}

struct Change {
  std::uint8_t bit = 0;
  Numeral to;
};

std::int64_t number_of(const Numeral& numeral, std::size_t width) {
  return numeral.last ? (std::int64_t{1} << width) - 1 : numeral.value;
}

Field field_of(const Numeral& numeral, const std::vector<Change>& changes) {
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
std::optional<std::size_t> only_difference(const Skeleton& one, const Skeleton& other) {
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

std::unexpected<Error> no_field(const WordForm& form, std::size_t numeral, std::string_view why) {
  return fail("field", fmt::format("number {} of '{}' {}", numeral, text_of(form.skeleton), why));
}

}  // namespace

Expected<std::vector<WordForm>> learn_forms(std::span<const Word> words, const PrintWords& print, Refusals* refusals) {
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

Expected<Word> with_number(const WordForm& form, Word word, std::size_t numeral, std::int64_t value) {
  if (numeral >= form.fields.size() || !form.fields[numeral].known())
    return no_field(form, numeral, "has no known field");
  const Field& field = form.fields[numeral];
  const Numeral::Kind kind = form.skeleton.numerals[numeral].kind;
  const bool number = kind == Numeral::Kind::Number;
  const bool has_last = !number && kind != Numeral::Kind::Barrier && kind != Numeral::Kind::Scoreboard;
  const bool scoreboard = kind == Numeral::Kind::Scoreboard;
  using Limits = std::numeric_limits<std::int64_t>;
  const std::int64_t width = std::ssize(field.bits);
  if (width > 64) return no_field(form, numeral, "has a field of more than 64 bits");
  const std::int64_t unsigned_most = width < 63 ? (std::int64_t{1} << width) - 1 : Limits::max();
  const std::int64_t signed_least = width < 64 ? -(std::int64_t{1} << (width - 1)) : Limits::min();
  const std::int64_t most = scoreboard ? scoreboards : unsigned_most;
  const std::int64_t least = number ? signed_least : has_last ? -1 : 0;
  if (value < least || value > most || (!number && value == most)) {
    return no_field(form, numeral, fmt::format("cannot be {}", value));
  }
  for (std::size_t i = 0; i < field.bits.size(); ++i) {
    word = with_bit(word, field.bits[i], (static_cast<std::uint64_t>(value) >> i & 1) != 0);
  }
  return word;
}

Expected<Word> with_reuse(const WordForm& form, Word word, std::size_t numeral, bool reuse) {
  if (numeral >= form.fields.size() || !form.fields[numeral].reuse) return no_field(form, numeral, "has no reuse bit");
  return with_bit(word, *form.fields[numeral].reuse, reuse);
}

namespace {

using Differs = FormChange::Kind;

FormOperand operand_of(std::string_view text) {
  if (text.find_first_of("[`(") != std::string_view::npos) return {{}, std::string(text), {}};
  FormOperand operand;
  const std::size_t begin = std::min(text.find_first_not_of("-~!|"), text.size());
  operand.marks = text.substr(0, begin);
  text.remove_prefix(begin);
  const std::size_t end = std::min(text.find_first_of("|."), text.size());
  operand.what = text.substr(0, end);
  text.remove_prefix(end);
  if (text.starts_with('|')) text.remove_prefix(1);
  operand.suffix = text;
  return operand;
}

FormChange change(Differs kind, std::string one, std::string other, int operand = -1) {
  if (other < one) std::swap(one, other);
  return {kind, std::move(one), std::move(other), operand};
}

/// Of the operands.
std::vector<FormChange> operand_changes(const FormParts& one, const FormParts& other) {
  std::vector<FormChange> changes;
  for (std::size_t i = 0; i < one.operands.size(); ++i) {
    const FormOperand &a = one.operands[i], &b = other.operands[i];
    if (a.marks != b.marks) changes.push_back(change(Differs::Marks, a.marks, b.marks));
    if (a.what != b.what) changes.push_back(change(Differs::What, a.what, b.what, static_cast<int>(i)));
    if (a.suffix != b.suffix) changes.push_back(change(Differs::Suffix, a.suffix, b.suffix));
  }
  return changes;
}

/// Leaves in each what the other does not have. Whether what both have is in the same order.
bool take_common(std::vector<std::string>& one, std::vector<std::string>& other) {
  const auto rest = [](std::vector<std::string> all, const std::vector<std::string>& taken) {
    for (const std::string& each : taken) {
      const auto at = std::ranges::find(all, each);
      if (at != all.end()) all.erase(at);
    }
    return all;
  };
  const std::vector<std::string> only_one = rest(one, other), only_other = rest(other, one);
  const auto without = [](std::vector<std::string> all, const std::vector<std::string>& gone) {
    for (const std::string& each : gone) all.erase(std::ranges::find(all, each));
    return all;
  };
  const bool same_order = without(one, only_one) == without(other, only_other);
  one = only_one;
  other = only_other;
  return same_order;
}

using Changes = std::vector<FormChange>;

void explain(const std::vector<std::string>& one, std::size_t next, std::vector<std::string> other, Changes so_far,
             std::vector<Changes>& ways) {
  if (next == one.size()) {
    for (std::string& each : other) so_far.push_back(change(Differs::Modifier, "", std::move(each)));
    ways.push_back(std::move(so_far));
    return;
  }
  Changes left_out = so_far;
  left_out.push_back(change(Differs::Modifier, one[next], ""));
  explain(one, next + 1, other, std::move(left_out), ways);
  for (std::size_t i = 0; i < other.size(); ++i) {
    Changes replaced = so_far;
    replaced.push_back(change(Differs::Modifier, one[next], other[i]));
    std::vector<std::string> rest = other;
    rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(i));
    explain(one, next + 1, std::move(rest), std::move(replaced), ways);
  }
}

}  // namespace

FormParts parts_of(std::string_view key) {
  if (key.starts_with('@')) key.remove_prefix(std::min(key.find(' '), key.size() - 1) + 1);
  const std::size_t end = std::min(key.find(' '), key.size());
  FormParts parts;
  parts.modifiers = split(key.substr(0, end), '.');
  parts.opcode = parts.modifiers.front();
  parts.modifiers.erase(parts.modifiers.begin());
  if (end == key.size()) return parts;
  for (const std::string& operand : split(replace_all(key.substr(end + 1), ", ", "\n"), '\n'))
    parts.operands.push_back(operand_of(operand));
  return parts;
}

std::string in_words(const FormChange& change) {
  return fmt::format("{} or {}", change.other, change.one.empty() ? "none" : change.one);
}

std::vector<std::vector<FormChange>> changes_between(const FormParts& one, const FormParts& other, std::size_t most) {
  std::vector<Changes> ways;
  if (one.opcode != other.opcode || one.operands.size() != other.operands.size()) return ways;
  std::vector<std::string> a = one.modifiers, b = other.modifiers;
  if (!take_common(a, b)) return ways;
  Changes operands = operand_changes(one, other);
  if (operands.size() + std::max(a.size(), b.size()) > most) return ways;
  explain(a, 0, b, std::move(operands), ways);
  std::erase_if(ways, [&](const Changes& way) { return way.size() > most; });
  return ways;
}

}  // namespace warpclock
