#include "ptx/line.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <span>
#include <utility>

#include "base/lookup.hpp"
#include "base/text.hpp"
#include "ptx/scanner.hpp"

namespace warpclock {
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
