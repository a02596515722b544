#include "ptx/snippet.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "ptx/scanner.hpp"
#include "ptx/types.hpp"

namespace warpclock {
namespace {

/// The new names of registers that are declared inside a pair of braces.
using Names = std::map<std::string, std::string>;

class Reader : private Scanner {
 public:
  using Scanner::Scanner;

  Expected<PtxSnippet> read() {
    scopes_.emplace_back();
    for (skip(); !error_ && !at_end(); skip()) {
      if (peek() == '{') {
        open();
      } else if (peek() == '}') {
        close();
      } else if (peek() == '.') {
        directive();
      } else if (is_label()) {
        refuse("a label is a place where control may come from elsewhere: a block is what is between two of them");
      } else {
        statement();
      }
    }
    if (!error_ && !braces_.empty()) reject(braces_.back(), "this '{' has no '}'");
    if (!error_ && snippet_.lines.empty()) reject(0, "there is no instruction");
    if (error_) return std::unexpected(*error_);
    return std::move(snippet_);
  }

 private:
  void refuse(std::string why) {
    reject(at_, std::move(why));
    error_->code = "ptx-unsupported";
  }

  void open() {
    braces_.push_back(at_);
    scopes_.emplace_back();
    accept('{');
  }

  void close() {
    if (braces_.empty()) return reject(at_, "there is no '{' for this '}'");
    braces_.pop_back();
    scopes_.pop_back();
    accept('}');
  }

  [[nodiscard]] bool is_label() const {
    std::size_t end = 0;
    while (is_word(peek(end)) || peek(end) == '%') ++end;
    while (std::isspace(static_cast<unsigned char>(peek(end))) != 0) ++end;
    return end > 0 && peek(end) == ':' && peek(end + 1) != ':';
  }

  void directive() {
    const std::size_t start = at_;
    ++at_;
    const std::string_view word = take(is_word);
    if (word == "reg") return registers();
    // Line information ends with its line and has no semicolon.
    if (word == "loc") {
      at_ = std::min(text_.find('\n', at_), text_.size());
    } else if (word == "pragma") {
      at_ = std::min(text_.find(';', at_), text_.size() - 1) + 1;
    } else {
      at_ = start;
      refuse(fmt::format("the directive '.{}' is not an instruction, and cannot be copied with them", word));
    }
  }

  void registers() {
    skip();
    const std::size_t start = at_;
    if (!accept('.')) return expected("the type of the registers");
    const std::string type(take(is_word));
    if (type_bits(type) == 0) return reject(start, fmt::format("'.{}' is not the type of a register", type));
    skip();
    do {
      const std::string declared = name("a register");
      if (error_) return;
      skip();
      if (accept('<')) {
        number();
        skip();
        if (!accept('>')) expected("'>'");
        snippet_.prefixes[declared] = type;
      } else {
        const std::string own = unused(declared);
        scopes_.back()[declared] = own;
        snippet_.names[own] = type;
      }
      skip();
    } while (!error_ && accept(','));
    if (!error_ && !accept(';') && !error_) expected("',' or ';'");
  }

  /// The block holds the registers of all inner braces at once, so their names must be unique.
  std::string unused(const std::string& wanted) {
    std::string own = wanted;
    for (int i = 2; snippet_.names.contains(own); ++i) own = fmt::format("{}_{}", wanted, i);
    return own;
  }

  void statement() {
    if (snippet_.lines.size() == max_snippet_statements) {
      return reject(at_, fmt::format("a block has at most {} instructions", max_snippet_statements));
    }
    Expected<PtxLine> line = parse_statement(text_, at_);
    if (!line) {
      error_ = line.error();
      return;
    }
    rename(line->guard);
    for (PtxTerm& term : line->operands) rename(term);
    snippet_.lines.push_back(*std::move(line));
  }

  void rename(std::string& text) const {
    const std::string name = text.substr(0, text.find('.'));
    for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope) {
      if (const auto own = scope->find(name); own != scope->end()) {
        text.replace(0, name.size(), own->second);
        return;
      }
    }
  }

  void rename(PtxTerm& term) const {
    if (term.kind == PtxTerm::Kind::Name) rename(term.text);
    for (PtxTerm& item : term.items) rename(item);
  }

  PtxSnippet snippet_;
  std::vector<Names> scopes_;
  std::vector<std::size_t> braces_;
};

}  // namespace

std::string PtxSnippet::type_of(const std::string& name) const {
  if (const auto exact = names.find(name); exact != names.end()) return exact->second;
  const std::size_t digits = name.find_last_not_of("0123456789") + 1;
  const auto prefix = digits == name.size() ? prefixes.end() : prefixes.find(name.substr(0, digits));
  return prefix == prefixes.end() ? std::string() : prefix->second;
}

Expected<PtxSnippet> parse_snippet(std::string_view text) {
  if (text.size() > max_snippet_bytes) {
    return fail("ptx", fmt::format("{} bytes are too long for a block (at most {})", text.size(), max_snippet_bytes),
                "1:1");
  }
  return Reader(text).read();
}

}  // namespace warpclock
