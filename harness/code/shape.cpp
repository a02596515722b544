#include "code/shape.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <utility>

#include "base/text.hpp"

namespace warpclock {
namespace {

using Kind = Slot::Kind;

struct Prefix {
  std::string_view text;
  Kind kind;
  char last;  ///< what stands for all ones; 0 where nothing does
};

// UR and UP before R and P, SB before B.
constexpr std::array<Prefix, 6> prefixes = {{{"UR", Kind::UniformRegister, 'Z'},
                                             {"UP", Kind::UniformPredicate, 'T'},
                                             {"SB", Kind::Scoreboard, 0},
                                             {"R", Kind::Register, 'Z'},
                                             {"P", Kind::Predicate, 'T'},
                                             {"B", Kind::Barrier, 0}}};

bool is_word(char c) { return is_digit(c) || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_'; }

std::optional<std::int64_t> whole(std::string_view digits, int base) {
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number, base);
  if (digits.empty() || error != std::errc{} || end != digits.data() + digits.size()) return std::nullopt;
  return static_cast<std::int64_t>(number);
}

/// "R12", "UPT", "0x1f". Decimal digits are a fraction that happens to be whole.
std::optional<Slot> slot_of(std::string_view word) {
  if (word.starts_with("0x")) {
    const auto value = whole(word.substr(2), 16);
    return value ? std::optional(Slot{.value = *value}) : std::nullopt;
  }
  for (const Prefix& prefix : prefixes) {
    if (!word.starts_with(prefix.text)) continue;
    const std::string_view rest = word.substr(prefix.text.size());
    if (prefix.last != 0 && rest.size() == 1 && rest[0] == prefix.last) return Slot{.kind = prefix.kind, .last = true};
    const auto value = whole(rest, 10);
    return value && *value < 256 ? std::optional(Slot{.kind = prefix.kind, .value = *value}) : std::nullopt;
  }
  return std::nullopt;
}

class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {}

  Shape read() && {
    if (!text_.starts_with('@')) add({.kind = Kind::Predicate, .last = true}, "@"), shape_.skeleton += ' ';
    // The opcode has numbers, too, which say what it is: HMMA.16816, LDG.E.64.
    if (text_.starts_with('@')) take_until(' ');
    take_opcode();
    while (at_ < text_.size()) step();
    return std::move(shape_);
  }

 private:
  void add(Slot slot, std::string_view before = {}) {
    slot.operand = operand_;
    (shape_.skeleton += before) += '#';
    shape_.slots.push_back(slot);
  }

  void take_until(char end) {
    while (at_ < text_.size() && text_[at_] != end) step();
    if (at_ < text_.size()) shape_.skeleton += text_[at_++];
  }

  void take_opcode() {
    const std::size_t end = std::min(text_.find(' ', at_), text_.size());
    shape_.skeleton += text_.substr(at_, end - at_);
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
    const bool negative = c == '-' && at_ + 1 < text_.size() && is_digit(text_[at_ + 1]);
    if (!is_word(c) && !negative) {
      shape_.skeleton += c;
      ++at_;
      return;
    }
    const std::size_t start = at_;
    if (negative) ++at_;
    std::size_t end = at_;
    while (end < text_.size() && is_word(text_[end])) ++end;
    // What is behind a point belongs to what is before it: 1.5e-38, .H0_H0.
    const bool fraction =
        is_digit(text_[at_]) && end + 1 < text_.size() && text_[end] == '.' && is_digit(text_[end + 1]);
    const bool suffix = at_ > 0 && text_[at_ - 1] == '.';
    if (fraction) ++end;
    while (fraction && end < text_.size() &&
           (is_word(text_[end]) || (text_[end - 1] == 'e' && (text_[end] == '+' || text_[end] == '-')))) {
      ++end;
    }
    std::optional<Slot> slot = fraction || suffix ? std::nullopt : slot_of(text_.substr(at_, end - at_));
    at_ = end;
    if (!slot) {
      shape_.skeleton += text_.substr(start, end - start);
      return;
    }
    if (negative) slot->value = -slot->value;
    if (text_.substr(at_).starts_with(".reuse")) {
      slot->reuse = true;
      at_ += 6;
    }
    has_offset_ = has_offset_ || slot->kind == Kind::Number;
    has_register_ = has_register_ || slot->kind == Kind::Register || slot->kind == Kind::UniformRegister;
    add(*slot);
  }

  std::string_view text_;
  std::size_t at_ = 0;
  int operand_ = -1;
  bool in_address_ = false, has_register_ = false, has_offset_ = false;
  Shape shape_;
};

std::string text_of(const Slot& slot) {
  if (slot.kind == Kind::Number) {
    const auto magnitude = static_cast<std::uint64_t>(slot.value);
    return slot.value < 0 ? fmt::format("-{:#x}", -magnitude) : fmt::format("{:#x}", magnitude);
  }
  const Prefix& prefix = *std::ranges::find(prefixes, slot.kind, &Prefix::kind);
  const std::string number = slot.last ? std::string(1, prefix.last) : std::to_string(slot.value);
  return fmt::format("{}{}{}", prefix.text, number, slot.reuse ? ".reuse" : "");
}

}  // namespace

Shape shape_of(std::string_view text) { return Reader(text).read(); }

std::string text_of(const Shape& shape) {
  std::string text;
  std::size_t next = 0;
  for (const char c : shape.skeleton) {
    if (c == '#' && next < shape.slots.size()) {
      text += text_of(shape.slots[next++]);
    } else {
      text += c;
    }
  }
  return text;
}

}  // namespace warpclock
