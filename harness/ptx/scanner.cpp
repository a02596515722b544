#include "ptx/scanner.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "ptx/number.hpp"

namespace warpclock {

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
