#include "base/yaml/scalar.hpp"

#include <algorithm>
#include <array>

#include "base/text.hpp"

namespace warpclock {
namespace {

/// Removes the digits at the front. True if there were any.
bool take_digits(std::string_view& text) {
  const auto end = std::ranges::find_if_not(text, is_digit);
  const auto count = static_cast<std::size_t>(end - text.begin());
  text.remove_prefix(count);
  return count > 0;
}

bool take_integer(std::string_view& text) {
  if (text.starts_with('-')) text.remove_prefix(1);
  if (!text.starts_with('0')) return take_digits(text);
  text.remove_prefix(1);
  return text.empty() || !is_digit(text.front());
}

}  // namespace

bool is_plain_integer(std::string_view text) { return text != "-0" && take_integer(text) && text.empty(); }

bool is_plain_number(std::string_view text) {
  if (!take_integer(text)) return false;
  if (text.starts_with('.')) {
    text.remove_prefix(1);
    if (!take_digits(text)) return false;
  }
  if (text.starts_with('e') || text.starts_with('E')) {
    text.remove_prefix(1);
    if (text.starts_with('-') || text.starts_with('+')) text.remove_prefix(1);
    if (!take_digits(text)) return false;
  }
  return text.empty();
}

bool looks_typed(std::string_view text) {
  static constexpr std::array<std::string_view, 16> words = {"true", "false", "yes",   "no",    "on",    "off",
                                                             "null", "~",     ".inf",  "+.inf", "-.inf", ".nan",
                                                             "=",    "<<",    "+.nan", "-.nan"};
  std::string lower(text.substr(0, 8));
  std::ranges::transform(lower, lower.begin(),
                         [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  if (text.empty() || (text.size() < 8 && std::ranges::find(words, lower) != words.end())) return true;
  if (text.front() == '-' || text.front() == '+') text.remove_prefix(1);
  if (text.empty() || (!is_digit(text.front()) && text.front() != '.')) return false;
  if (text.starts_with("0x") || text.starts_with("0o") || text.starts_with("0b")) return true;
  return std::ranges::any_of(text, is_digit) &&
         std::ranges::all_of(text, [](char c) { return is_digit(c) || std::string_view("_.:eE+-").contains(c); });
}

namespace {

bool within(unsigned char byte, unsigned low, unsigned high) { return byte >= low && byte <= high; }

/// Length in bytes of the well-formed sequence at the front of `text`, or 0 if there is none.
std::size_t sequence(std::string_view text) {
  const auto at = [&](std::size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U; };
  const auto tail = [&](std::size_t i) { return within(static_cast<unsigned char>(at(i)), 0x80, 0xbf); };
  const unsigned lead = at(0);
  const auto second = static_cast<unsigned char>(at(1));
  if (lead < 0x80) return 1;
  if (lead >= 0xc2 && lead <= 0xdf) return tail(1) ? 2 : 0;
  if (lead >= 0xe0 && lead <= 0xef) {
    const unsigned low = lead == 0xe0 ? 0xa0 : 0x80;
    const unsigned high = lead == 0xed ? 0x9f : 0xbf;
    return within(second, low, high) && tail(2) ? 3 : 0;
  }
  if (lead >= 0xf0 && lead <= 0xf4) {
    const unsigned low = lead == 0xf0 ? 0x90 : 0x80;
    const unsigned high = lead == 0xf4 ? 0x8f : 0xbf;
    return within(second, low, high) && tail(2) && tail(3) ? 4 : 0;
  }
  return 0;
}

}  // namespace

std::optional<std::size_t> find_invalid_utf8(std::string_view text) {
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t bytes = sequence(text.substr(at));
    if (bytes == 0) return at;
    at += bytes;
  }
  return std::nullopt;
}

}  // namespace warpclock
