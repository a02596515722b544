#include "fields/form.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "base/text.hpp"

namespace warpclock {

namespace {

std::unexpected<Error> no_field(const WordForm& form, std::size_t numeral, std::string_view why) {
  return fail("field", fmt::format("number {} of '{}' {}", numeral, text_of(form.skeleton), why));
}

}  // namespace

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
