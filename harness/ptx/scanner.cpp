#include "ptx/scanner.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/text.hpp"

namespace warpclock {
namespace {

constexpr std::string_view decimal = "0123456789";
constexpr std::string_view hexadecimal = "0123456789abcdefABCDEF";

std::size_t run(std::string_view text, std::string_view digits) {
  return std::min(text.find_first_not_of(digits), text.size());
}

/// A zero and a prefix letter, then `count` digits, or for 0 at least one digit. Returns the length, or 0 if the text
/// does not match.
std::size_t prefixed(std::string_view text, std::string_view letters, std::string_view digits, std::size_t count) {
  if (text.size() < 3 || text[0] != '0' || letters.find(text[1]) == std::string_view::npos) return 0;
  const std::size_t length = run(text.substr(2), digits);
  return length == 0 || (count != 0 && length != count) ? 0 : 2 + length;
}

std::size_t exponent(std::string_view text) {
  if (text.empty() || (text[0] != 'e' && text[0] != 'E')) return 0;
  const std::size_t sign = text.size() > 1 && (text[1] == '+' || text[1] == '-') ? 1 : 0;
  const std::size_t digits = run(text.substr(1 + sign), decimal);
  return digits == 0 ? 0 : 1 + sign + digits;
}

std::size_t unsigned_length(std::string_view text) {
  if (const std::size_t bits = prefixed(text, "fF", hexadecimal, 8)) return bits;
  if (const std::size_t bits = prefixed(text, "dD", hexadecimal, 16)) return bits;
  std::size_t length = prefixed(text, "xX", hexadecimal, 0);
  if (length == 0) length = prefixed(text, "bB", "01", 0);
  if (length == 0) {
    length = run(text, decimal);
    const bool point = length < text.size() && text[length] == '.';
    const std::size_t fraction = point ? run(text.substr(length + 1), decimal) : 0;
    if (length + fraction == 0) return 0;
    const std::size_t mantissa = length + (point ? 1 + fraction : 0);
    const std::size_t power = exponent(text.substr(mantissa));
    if (point || power > 0) return mantissa + power;
  }
  return length + (length < text.size() && text[length] == 'U' ? 1 : 0);
}

}  // namespace

std::size_t number_length(std::string_view text) {
  const std::size_t sign = !text.empty() && (text[0] == '-' || text[0] == '+') ? 1 : 0;
  const std::size_t length = unsigned_length(text.substr(sign));
  return length == 0 ? 0 : sign + length;
}

std::optional<std::uint64_t> integer_of(std::string_view text) {
  if (text.ends_with('U')) text.remove_suffix(1);
  int base = 10;
  if (text.size() > 1 && text.front() == '0') {
    const bool hex = text[1] == 'x' || text[1] == 'X', binary = text[1] == 'b' || text[1] == 'B';
    base = hex ? 16 : binary ? 2 : 8;
    text.remove_prefix(hex || binary ? 2 : 1);
  }
  return whole_number<std::uint64_t>(text, base);
}

int Scanner::line_of(std::size_t at) const {
  return 1 + static_cast<int>(std::ranges::count(text_.substr(0, at), '\n'));
}
int Scanner::column_of(std::size_t at) const {
  const std::size_t before = at == 0 ? std::string_view::npos : text_.rfind('\n', at - 1);
  return static_cast<int>(before == std::string_view::npos ? at + 1 : at - before);
}

void Scanner::reject(std::size_t at, std::string why) {
  if (error_) return;
  error_ = Error{"ptx", std::move(why), fmt::format("{}:{}", line_of(at), column_of(at))};
}
void Scanner::expected(std::string_view what) { reject(at_, fmt::format("expected {}, found {}", what, found())); }

std::string Scanner::found() const {
  if (at_end()) return "the end of the line";
  const auto byte = static_cast<unsigned char>(peek());
  return std::isprint(byte) != 0 ? fmt::format("'{}'", peek()) : fmt::format("the byte 0x{:02x}", byte);
}

void Scanner::skip() {
  while (!error_ && !at_end()) {
    if (std::isspace(static_cast<unsigned char>(peek())) != 0) {
      ++at_;
    } else if (peek() == '/' && peek(1) == '/') {
      at_ = std::min(text_.find('\n', at_), text_.size());
    } else if (peek() == '/' && peek(1) == '*') {
      const std::size_t end = text_.find("*/", at_ + 2);
      if (end == std::string_view::npos) return reject(at_, "this comment has no end");
      at_ = end + 2;
    } else {
      return;
    }
  }
}

bool Scanner::accept(char c) {
  if (error_ || peek() != c) return false;
  ++at_;
  skip();
  return !error_;
}

std::string_view Scanner::take(bool (*belongs)(char)) {
  const std::size_t start = at_;
  while (!at_end() && belongs(peek())) ++at_;
  return text_.substr(start, at_ - start);
}

std::string Scanner::name(std::string_view what) {
  const std::size_t start = at_;
  if (is_name_start(peek())) ++at_;
  if (at_ == start) {
    expected(what);
    return {};
  }
  take(is_word);
  return std::string(text_.substr(start, at_ - start));
}

std::string Scanner::number() {
  const std::size_t start = at_;
  if (peek() == '-' && is_name_start(peek(1))) {
    reject(start, "PTX has no minus before a register: use neg, or another constant");
  }
  at_ += number_length(text_.substr(at_));
  if (at_ == start || is_word(peek()) || peek() == '.') {
    at_ = start;
    const std::string_view word = take([](char c) { return is_word(c) || c == '.' || c == '-' || c == '+'; });
    if (word.empty()) expected("a number");
    reject(start, fmt::format("'{}' is not a number of PTX", word));
  }
  std::string_view digits = text_.substr(start, at_ - start);
  if (digits.starts_with('+')) digits.remove_prefix(1);
  return std::string(digits);
}

}  // namespace warpclock
