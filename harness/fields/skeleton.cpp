#include "fields/skeleton.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "base/text.hpp"

namespace warpclock {
namespace {

using Kind = Numeral::Kind;

struct Prefix {
  std::string_view text;
  Kind kind;
  char last;  ///< the letter that denotes all ones; 0 if there is none
};

// UR and UP precede R and P, and SB precedes B, because the first match counts.
constexpr std::array<Prefix, 6> prefixes = {{{"UR", Kind::UniformRegister, 'Z'},
                                             {"UP", Kind::UniformPredicate, 'T'},
                                             {"SB", Kind::Scoreboard, 0},
                                             {"R", Kind::Register, 'Z'},
                                             {"P", Kind::Predicate, 'T'},
                                             {"B", Kind::Barrier, 0}}};

constexpr std::string_view reuse_mark = ".reuse";

/// The number of bars between the register and its mark: one in |R4|.reuse.
std::size_t bars(std::string_view text, std::size_t at) { return at < text.size() && text[at] == '|' ? 1 : 0; }

bool is_word(char c) { return is_digit(c) || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_'; }

std::optional<std::int64_t> whole(std::string_view digits, int base) {
  return digits.starts_with('-') ? std::nullopt : whole_number<std::int64_t>(digits, base);
}

/// "R12", "UPT", "0x1f". Decimal digits are no numeral: they are a fraction that happens to be whole.
std::optional<Numeral> numeral_of(std::string_view word) {
  if (word.starts_with("0x")) {
    const auto value = whole(word.substr(2), 16);
    return value ? std::optional(Numeral{.value = *value}) : std::nullopt;
  }
  for (const Prefix& prefix : prefixes) {
    if (!word.starts_with(prefix.text)) continue;
    const std::string_view rest = word.substr(prefix.text.size());
    if (prefix.last != 0 && rest.size() == 1 && rest[0] == prefix.last)
      return Numeral{.kind = prefix.kind, .last = true};
    const auto value = whole(rest, 10);
    return value && *value < 256 ? std::optional(Numeral{.kind = prefix.kind, .value = *value}) : std::nullopt;
  }
  return std::nullopt;
}

class Reader {
 public:
  explicit Reader(std::string_view text) : own_(text) {
    // '#' marks a numeral in a skeleton; nvdisasm does not print it.
    std::ranges::replace(own_, '#', '?');
    text_ = own_;
  }

  Skeleton read() && {
    if (!text_.starts_with('@')) add({.kind = Kind::Predicate, .last = true}, "@"), skeleton_.text += ' ';
    // Numbers in the opcode belong to its name: HMMA.16816, LDG.E.64.
    if (text_.starts_with('@')) take_until(' ');
    take_opcode();
    while (at_ < text_.size()) step();
    return std::move(skeleton_);
  }

 private:
  void add(Numeral numeral, std::string_view before = {}) {
    numeral.operand = operand_;
    (skeleton_.text += before) += '#';
    skeleton_.numerals.push_back(numeral);
  }

  void take_until(char end) {
    while (at_ < text_.size() && text_[at_] != end) step();
    if (at_ < text_.size()) skeleton_.text += text_[at_++];
  }

  void take_opcode() {
    const std::size_t end = std::min(text_.find(' ', at_), text_.size());
    skeleton_.text += text_.substr(at_, end - at_);
    at_ = end;
    operand_ = 0;
  }

  void step() {
    const char c = text_[at_];
    if (c == ',' && !in_address_) ++operand_;
    if (c == '[') in_address_ = true, has_register_ = has_offset_ = false;
    if (c == ']') {
      if (in_address_ && has_register_ && !has_offset_) add({}, "+");
      in_address_ = false;
    }
    const bool apart = at_ > 0 && std::string_view(" ,+[").find(text_[at_ - 1]) != std::string_view::npos;
    const bool negative = c == '-' && apart && at_ + 1 < text_.size() && is_digit(text_[at_ + 1]);
    if (!is_word(c) && !negative) {
      skeleton_.text += c;
      ++at_;
      return;
    }
    const std::size_t start = at_;
    if (negative) ++at_;
    std::size_t end = at_;
    while (end < text_.size() && is_word(text_[end])) ++end;
    // Text after a point belongs to the text before it: 1.5e-38, .H0_H0.
    const bool fraction =
        is_digit(text_[at_]) && end + 1 < text_.size() && text_[end] == '.' && is_digit(text_[end + 1]);
    const bool suffix = at_ > 0 && text_[at_ - 1] == '.';
    if (fraction) ++end;
    while (fraction && end < text_.size() &&
           (is_word(text_[end]) || (text_[end - 1] == 'e' && (text_[end] == '+' || text_[end] == '-')))) {
      ++end;
    }
    std::optional<Numeral> numeral = fraction || suffix ? std::nullopt : numeral_of(text_.substr(at_, end - at_));
    at_ = end;
    has_offset_ = has_offset_ || fraction;  // "+0x0" after "0.0e" would become its exponent
    if (!numeral) {
      skeleton_.text += text_.substr(start, end - start);
      return;
    }
    if (negative) numeral->value = -numeral->value;
    numeral->reuse = numeral->kind == Kind::Register && is_reuse_behind();
    has_offset_ = has_offset_ || numeral->kind == Kind::Number;
    has_register_ = has_register_ || numeral->kind == Kind::Register || numeral->kind == Kind::UniformRegister;
    const bool reuse = numeral->reuse;
    add(*numeral);
    if (!reuse) return;
    const std::size_t between = bars(text_, at_);
    skeleton_.text += text_.substr(at_, between);
    at_ += between + reuse_mark.size();
  }

  /// A bar before the mark is written back there, so a bar after it does not end the mark.
  bool is_reuse_behind() const {
    const std::size_t between = bars(text_, at_);
    const std::string_view rest = text_.substr(at_ + between);
    if (!rest.starts_with(reuse_mark)) return false;
    const std::string_view behind = rest.substr(reuse_mark.size());
    return behind.empty() || (!is_word(behind[0]) && (between == 1 || behind[0] != '|'));
  }

  std::string own_;
  std::string_view text_;
  std::size_t at_ = 0;
  int operand_ = -1;
  bool in_address_ = false, has_register_ = false, has_offset_ = false;
  Skeleton skeleton_;
};

std::string text_of(const Numeral& numeral) {
  if (numeral.kind == Kind::Number) {
    const auto magnitude = static_cast<std::uint64_t>(numeral.value);
    return numeral.value < 0 ? fmt::format("-{:#x}", -magnitude) : fmt::format("{:#x}", magnitude);
  }
  const Prefix& prefix = *std::ranges::find(prefixes, numeral.kind, &Prefix::kind);
  const std::string number = numeral.last ? std::string(1, prefix.last) : std::to_string(numeral.value);
  return fmt::format("{}{}", prefix.text, number);
}

}  // namespace

Skeleton skeleton_of(std::string_view text) { return Reader(text).read(); }

std::string text_of(const Skeleton& skeleton) {
  std::string text;
  std::size_t next = 0, mark = skeleton.text.npos;
  for (std::size_t i = 0; i < skeleton.text.size(); ++i) {
    if (skeleton.text[i] == '#' && next < skeleton.numerals.size()) {
      const Numeral& numeral = skeleton.numerals[next++];
      text += text_of(numeral);
      if (numeral.reuse) mark = i + bars(skeleton.text, i + 1);
    } else {
      text += skeleton.text[i];
    }
    if (i == mark) text += reuse_mark;
  }
  return text;
}

}  // namespace warpclock
