#include "ptx/line.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <optional>
#include <span>

#include "base/text.hpp"
#include "ptx/number.hpp"

namespace warpclock {
namespace {

bool is_name_start(char c) {
  return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '$' || c == '%';
}
bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '$'; }

/// Reads one statement from left to right. The first error stays, and whatever is read after it is not looked at.
class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  Expected<PtxLine> statement() {
    PtxLine line;
    labels();
    guard(line);
    mnemonic(line);
    skip();
    if (!at_end() && peek() != ';') {
      do {
        line.operands.push_back(operand());
        skip();
      } while (!error_ && accept(','));
    }
    finish();
    if (error_) return std::unexpected(*error_);
    return line;
  }

 private:
  [[nodiscard]] bool at_end() const { return at_ >= text_.size(); }
  [[nodiscard]] char peek(std::size_t ahead = 0) const {
    return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0';
  }

  [[nodiscard]] int line_of(std::size_t at) const {
    return 1 + static_cast<int>(std::ranges::count(text_.substr(0, at), '\n'));
  }
  [[nodiscard]] int column_of(std::size_t at) const {
    const std::size_t before = at == 0 ? std::string_view::npos : text_.rfind('\n', at - 1);
    return static_cast<int>(before == std::string_view::npos ? at + 1 : at - before);
  }

  void reject(std::size_t at, std::string why) {
    if (error_) return;
    error_ = Error{"ptx", std::move(why), fmt::format("{}:{}", line_of(at), column_of(at))};
  }
  void expected(std::string_view what) { reject(at_, fmt::format("expected {}, found {}", what, found())); }

  /// What stands here, as an error shows it.
  [[nodiscard]] std::string found() const {
    if (at_end()) return "the end of the line";
    const auto byte = static_cast<unsigned char>(peek());
    return std::isprint(byte) != 0 ? fmt::format("'{}'", peek()) : fmt::format("the byte 0x{:02x}", byte);
  }

  void skip() {
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

  /// False also after an error, so that nothing goes on reading.
  bool accept(char c) {
    if (error_ || peek() != c) return false;
    ++at_;
    skip();
    return !error_;
  }

  std::string_view take(bool (*belongs)(char)) {
    const std::size_t start = at_;
    while (!at_end() && belongs(peek())) ++at_;
    return text_.substr(start, at_ - start);
  }

  /// A name without a dot: of a label, an opcode, a register.
  std::string name(std::string_view what) {
    const std::size_t start = at_;
    if (is_name_start(peek())) ++at_;
    if (at_ == start) {
      expected(what);
      return {};
    }
    take(is_word);
    return std::string(text_.substr(start, at_ - start));
  }

  void labels() {
    for (skip(); !error_ && is_name_start(peek()); skip()) {
      const std::size_t start = at_;
      name("a label");
      skip();
      if (accept(':')) continue;
      at_ = start;
      return;
    }
  }

  void guard(PtxLine& line) {
    if (!accept('@')) return;
    line.guard_negated = accept('!');
    const bool braces = accept('{');
    line.guard = name("a predicate after '@'");
    skip();
    if (braces && !accept('}')) expected("'}'");
  }

  void mnemonic(PtxLine& line) {
    if (error_) return;
    if (peek() == '.' && is_name_start(peek(1))) {
      return reject(at_, "a directive is not an instruction");
    }
    line.line = line_of(at_);
    line.column = column_of(at_);
    if (std::isalpha(static_cast<unsigned char>(peek())) == 0) return expected("an opcode");
    line.opcode = name("an opcode");
    while (peek() == '.') {
      ++at_;
      const std::string_view word = take([](char c) { return is_word(c) || c == ':'; });
      if (word.empty()) return expected("a modifier after '.'");
      line.modifiers.emplace_back(word);
    }
    const bool apart =
        at_end() || std::isspace(static_cast<unsigned char>(peek())) != 0 || peek() == ';' || peek() == '/';
    if (!apart) expected("a blank after the opcode");
  }

  PtxTerm operand() {
    PtxTerm first = term(Where::Operand);
    skip();
    if (error_ || peek() != '|') return first;
    PtxTerm pair{.kind = PtxTerm::Kind::Pair, .line = first.line, .column = first.column};
    accept('|');
    pair.items = {std::move(first), term(Where::Item)};
    return pair;
  }

  /// Vectors and addresses do not nest, and a vector beside an address is a texture's.
  enum class Where { Operand, InAddress, Item };

  PtxTerm term(Where where) {
    skip();
    PtxTerm result{.line = line_of(at_), .column = column_of(at_)};
    if (accept('!')) {
      result = simple(result);
      result.negated = true;
      const bool fits = result.kind == PtxTerm::Kind::Name || result.kind == PtxTerm::Kind::Placeholder;
      if (!error_ && !fits) reject(at_, "only a predicate can follow '!'");
      return result;
    }
    if (where == Where::Operand && peek() == '[') return address(result);
    if (peek() == '{') return braces(result, where != Where::Item);
    return simple(result);
  }

  PtxTerm simple(PtxTerm result) {
    if (error_) return result;
    const char c = peek();
    if (c == '{') return braces(result, false);
    if (c == '(') return parentheses(result);
    if (c == '_' && !is_word(peek(1))) {
      ++at_;
      result.kind = PtxTerm::Kind::Sink;
    } else if (std::isdigit(static_cast<unsigned char>(c)) != 0 || c == '-' || c == '+' || c == '.') {
      result.kind = PtxTerm::Kind::Immediate;
      result.text = number();
    } else if (is_name_start(c)) {
      result.text = name("an operand") + selector();
    } else {
      expected("an operand");
    }
    return result;
  }

  /// ".x" of `%tid.x`, ".b0" of `%r1.b0`, ".yx".
  std::string selector() {
    std::string text;
    while (peek() == '.' && is_word(peek(1))) {
      ++at_;
      text += "." + std::string(take(is_word));
    }
    return text;
  }

  std::string number() {
    const std::size_t start = at_;
    if (peek() == '-' && is_name_start(peek(1))) {
      reject(start, "PTX has no minus before a register: use neg, or another constant");
    }
    at_ += number_length(text_.substr(at_));
    if (at_ == start || is_word(peek()) || peek() == '.') {
      at_ = start;
      const std::string_view word = take([](char c) { return is_word(c) || c == '.' || c == '-' || c == '+'; });
      reject(start, fmt::format("'{}' is not a number of PTX", word));
    }
    std::string_view digits = text_.substr(start, at_ - start);
    if (digits.starts_with('+')) digits.remove_prefix(1);
    return std::string(digits);
  }

  /// `{d}` is a placeholder, `{%f1, %f2}` and `{{lo}, {hi}}` are vectors.
  PtxTerm braces(PtxTerm result, bool whole) {
    const std::size_t start = at_;
    accept('{');
    if (std::isalpha(static_cast<unsigned char>(peek())) != 0) {
      result.text = name("a name");
      skip();
      if (peek() == '}') {
        ++at_;
        result.text += selector();
        result.kind = PtxTerm::Kind::Placeholder;
        return result;
      }
      at_ = start;
      result.text.clear();
      accept('{');
    }
    if (!whole) {
      reject(start, "expected a name between these braces");
      return result;
    }
    result.kind = PtxTerm::Kind::Vector;
    list(result, '}');
    return result;
  }

  /// Items, by comma, up to `end`.
  void list(PtxTerm& result, char end) {
    do {
      result.items.push_back(term(end == ']' ? Where::InAddress : Where::Item));
      skip();
    } while (accept(','));
    if (error_) return;
    if (peek() != end) return expected(fmt::format("',' or '{}'", end));
    ++at_;
  }

  PtxTerm address(PtxTerm result) {
    result.kind = PtxTerm::Kind::Address;
    accept('[');
    result.items.push_back(term(Where::Item));
    skip();
    if (!error_ && (peek() == '+' || peek() == '-')) {
      const bool minus = peek() == '-';
      accept(peek());
      const std::string digits = number();
      if (minus && digits.starts_with('-')) expected("a number after '-'");
      // PTX knows only sums, so that `[%rd1-4]` is `[%rd1+-4]`.
      result.offset = (minus ? "+-" : "+") + digits;
      skip();
    }
    if (accept(',')) {
      list(result, ']');
    } else if (!error_) {
      if (peek() != ']') {
        expected("']'");
      } else {
        ++at_;
      }
    }
    return result;
  }

  /// Parameter lists of calls, constant expressions: kept as they are, nothing here looks into them.
  PtxTerm parentheses(PtxTerm result) {
    const std::size_t start = at_;
    int depth = 0;
    do {
      if (at_end() || peek() == ';') {
        reject(start, "this '(' has no ')'");
        return result;
      }
      depth += peek() == '(' ? 1 : peek() == ')' ? -1 : 0;
      ++at_;
    } while (depth > 0);
    result.text = text_.substr(start, at_ - start);
    return result;
  }

  void finish() {
    skip();
    if (error_ || at_end()) return;
    if (!accept(';')) {
      if (!error_) expected("',' or the end of the instruction");
    } else if (!at_end()) {
      reject(at_, "there is more after ';', and this takes one instruction");
    }
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::optional<Error> error_;
};

std::string to_text(const PtxTerm& term);

std::string joined(std::span<const PtxTerm> items) {
  std::vector<std::string> texts;
  for (const PtxTerm& item : items) texts.push_back(to_text(item));
  return join(texts, ", ");
}

std::string to_text(const PtxTerm& term) {
  const std::string bang = term.negated ? "!" : "";
  switch (term.kind) {
    case PtxTerm::Kind::Name:
    case PtxTerm::Kind::Immediate:
      return bang + term.text;
    case PtxTerm::Kind::Placeholder: {
      const std::size_t dot = std::min(term.text.find('.'), term.text.size());
      return fmt::format("{}{{{}}}{}", bang, term.text.substr(0, dot), term.text.substr(dot));
    }
    case PtxTerm::Kind::Vector:
      return "{" + joined(term.items) + "}";
    case PtxTerm::Kind::Address: {
      const std::span<const PtxTerm> items = term.items;
      std::string text = "[" + joined(items.first(std::min<std::size_t>(1, items.size()))) + term.offset;
      if (items.size() > 1) text += ", " + joined(items.subspan(1));
      return text + "]";
    }
    case PtxTerm::Kind::Pair:
      return term.items.size() == 2 ? to_text(term.items[0]) + "|" + to_text(term.items[1]) : "";
    case PtxTerm::Kind::Sink:
      break;
  }
  return "_";
}

}  // namespace

std::string PtxLine::mnemonic() const {
  std::string text = opcode;
  for (const std::string& modifier : modifiers) text += "." + modifier;
  return text;
}

Expected<PtxLine> parse_ptx(std::string_view text) {
  if (text.size() > max_ptx_bytes) {
    return fail("ptx",
                fmt::format("{} bytes are too long for one instruction (at most {})", text.size(), max_ptx_bytes),
                "1:1");
  }
  return Parser(text).statement();
}

std::string to_string(const PtxLine& line) {
  std::string text;
  if (!line.guard.empty()) {
    text = fmt::format("@{}{} ", line.guard_negated ? "!" : "",
                       line.guard.starts_with('%') ? line.guard : "{" + line.guard + "}");
  }
  text += line.mnemonic();
  if (!line.operands.empty()) text += " " + joined(line.operands);
  return text;
}

}  // namespace warpclock
