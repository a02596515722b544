#include "ptx/line.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <utility>

#include "base/lookup.hpp"
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

namespace {

/// Reads one statement from left to right. The first error is kept; anything read after it is ignored.
class Parser : private Scanner {
 public:
  using Scanner::Scanner;

  Expected<PtxLine> statement() {
    // A scope of a listing may begin or end on the line of an instruction.
    skip();
    refuse_inline_assembly();
    while (peek() == '{' && opens_scope()) accept('{');
    labels();
    PtxLine line = parts();
    finish();
    if (error_) return std::unexpected(*error_);
    return line;
  }

  Expected<PtxLine> one_of_several(std::size_t& at) {
    PtxLine line = parts();
    skip();
    if (!error_ && peek() != ';') expected(line.operands.empty() ? "';'" : "',' or ';'");
    if (error_) return std::unexpected(*error_);
    at = at_ + 1;
    return line;
  }

 private:
  /// `asm volatile("add.s32 %0, %1, %2;" : "=r"(x) : ...)`
  void refuse_inline_assembly() {
    const std::string_view rest = text_.substr(at_);
    const std::size_t quote = rest.find('"');
    if (quote == std::string_view::npos || !(rest.starts_with("asm") || rest.starts_with("__asm"))) return;
    const std::string_view ptx = rest.substr(quote, rest.find('"', quote + 1) + 1 - quote);
    reject(at_, fmt::format("this is inline assembly of CUDA C++: ask for the PTX in its quotes, {}", ptx));
  }

  PtxLine parts() {
    PtxLine line;
    guard(line);
    mnemonic(line);
    skip();
    if (!at_end() && peek() != ';') {
      do {
        line.operands.push_back(operand());
        skip();
      } while (!error_ && accept(','));
    }
    return line;
  }

  /// Whether anything follows the brace on this line.
  [[nodiscard]] bool opens_scope() const {
    const std::size_t next = text_.find_first_not_of(" \t{", at_);
    return next != std::string_view::npos && text_[next] != '/' && text_[next] != '}' && text_[next] != '\n';
  }

  void unsupported(std::string why) {
    if (error_) return;
    reject(at_, std::move(why));
    error_->code = "ptx-unsupported";
  }

  void labels() {
    for (skip(); !error_ && is_name_start(peek()); skip()) {
      const std::size_t start = at_;
      name("a label");
      skip();
      if (accept(':')) {
        labelled_ = true;
        continue;
      }
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
    if (line.guard.empty() && peek() == '.' && is_name_start(peek(1))) {
      return unsupported("a directive is not an instruction, and takes no time");
    }
    if (line.guard.empty() && (peek() == '{' || peek() == '}')) {
      return unsupported("a brace is not an instruction: it only says where names are known");
    }
    if (at_end() && labelled_) return unsupported("there is no instruction behind the label");
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

  /// Vectors and addresses do not nest, and a vector next to an address belongs to a texture.
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
      result.text = name("an operand");
      result.text += selector();
    } else {
      expected("an operand");
    }
    return result;
  }

  /// ".x" in `%tid.x`, ".b0" in `%r1.b0`, ".yx".
  std::string selector() {
    std::string text;
    while (peek() == '.' && is_word(peek(1))) {
      ++at_;
      text += "." + std::string(take(is_word));
    }
    return text;
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

  /// Items separated by commas, up to `end`.
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
      if (peek() == '-' && minus) expected("a number after '-'");
      const std::string digits = number();
      // PTX only has sums, so `[%rd1-4]` becomes `[%rd1+-4]`.
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

  /// Parameter lists of calls and constant expressions are kept as they are, because nothing here examines them.
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
      while (accept('}')) continue;
      if (!at_end()) reject(at_, "there is more after ';': --ptx-file times several instructions as one block");
    }
  }

  bool labelled_ = false;
};

}  // namespace

Expected<PtxLine> parse_ptx(std::string_view text) {
  if (text.size() > max_ptx_bytes) {
    return fail("ptx",
                fmt::format("{} bytes are too long for one instruction (at most {})", text.size(), max_ptx_bytes),
                "1:1");
  }
  return Parser(text).statement();
}

Expected<PtxLine> parse_statement(std::string_view text, std::size_t& at) {
  return Parser(text, at).one_of_several(at);
}

namespace {

std::string to_text(const PtxTerm& term);

std::string joined(std::span<const PtxTerm> items) { return join(mapped(items, to_text), ", "); }

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
