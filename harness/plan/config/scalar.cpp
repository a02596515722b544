#include "plan/config/scalar.hpp"

#include <algorithm>
#include <array>
#include <string>

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

}  // namespace warpclock
