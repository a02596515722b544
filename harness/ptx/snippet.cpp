#include "ptx/snippet.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

#include "base/lookup.hpp"
#include "ptx/describe.hpp"
#include "ptx/form.hpp"
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

namespace {

using Kind = PtxTerm::Kind;

/// Spells registers uniformly, so that `{a}`, `%a` and a declared `a` are the same.
class Speller {
 public:
  explicit Speller(const PtxSnippet& snippet) : snippet_(snippet) {
    for (const PtxLine& line : snippet.lines) {
      for (const PtxTerm& term : line.operands) marked_ = marked_ || has_marks(term);
    }
  }

  PtxLine spell(PtxLine line) {
    if (!line.guard.empty()) line.guard = marked(line.guard);
    for (PtxTerm& term : line.operands) spell(term);
    return line;
  }

 private:
  static bool has_marks(const PtxTerm& term) {
    const bool own = term.kind == Kind::Placeholder ||
                     (term.kind == Kind::Name && term.text.starts_with('%') && !is_special_register(term.text));
    return own || std::ranges::any_of(term.items, has_marks);
  }

  static std::string marked(const std::string& name) {
    if (name.starts_with('%')) return name;
    const std::string with = "%" + name;
    return is_special_register(with) ? with + "_" : with;
  }

  void spell(PtxTerm& term) const {
    for (PtxTerm& item : term.items) spell(item);
    if (term.kind == Kind::Placeholder) {
      term.kind = Kind::Name;
      term.text = marked(term.text);
    } else if (term.kind == Kind::Name && !is_special_register(term.text) && !term.text.starts_with('(')) {
      // A name without a mark is a variable's, unless no name in the snippet has a mark.
      const bool declared = !snippet_.type_of(term.text.substr(0, term.text.find('.'))).empty();
      if (declared || !marked_) term.text = marked(term.text);
    }
  }

  const PtxSnippet& snippet_;
  bool marked_ = false;
};

std::string register_of(const PtxTerm& term) { return term.text.substr(0, term.text.find('.')); }

std::vector<std::string> registers_of(const PtxTerm& term, const Operand& operand) {
  if (!operand.immediate.empty()) return {};
  if (term.kind == Kind::Address) return {register_of(term.items.front())};
  if (term.kind != Kind::Vector) return {register_of(term)};
  return mapped(term.items, register_of);
}

std::string named(const std::string& code, const PtxLine& line) {
  return fmt::format("{} is not measured in a block: {}", line.mnemonic(), code);
}

Expected<Statement> statement_of(const PtxLine& line, const OpcodeTable& table) {
  auto instruction = WARPCLOCK_TRY(describe_apart(line, table));
  if (instruction.kind == "mbarrier") {
    return fail("ptx-unsupported", named("an mbarrier has phases, which copies would have to share", line),
                place_of(line));
  }
  const auto matches = match_operands(line, *choose_row(line, table).value());
  Statement statement;
  for (std::size_t i = 0; i < matches->size(); ++i) {
    const PtxTerm& term = *(*matches)[i].term;
    statement.registers.push_back(registers_of(term, instruction.operands[i]));
    statement.places.push_back(place_of(term));
  }
  if (!line.guard.empty()) {
    statement.guard = line.guard;
    statement.registers.push_back({line.guard});
    statement.places.push_back(place_of(line));
  }
  statement.text = to_string(line);
  statement.place = place_of(line);
  const auto has = [&](std::string_view word) { return contains(line.modifiers, word); };
  statement.makes_carry = has("cc");
  statement.takes_carry = line.opcode == "addc" || line.opcode == "subc" || line.opcode == "madc";
  statement.instruction = std::move(instruction);
  return statement;
}

/// PTX ISA, "Operand Size Exceeding Instruction-Type Size": loads, stores and conversions, except of floats.
bool takes_wider(const PtxInstruction& instruction, const Operand& operand) {
  constexpr std::array<std::string_view, 4> opcodes{"ld", "ldu", "st", "cvt"};
  if (!contains(opcodes, instruction.opcode) || operand.elements > 8) return false;
  if (operand.address) return operand.file == RegisterClass::B32;
  return operand.type.starts_with('b') ? !operand.type.starts_with("bf")
                                       : operand.type.starts_with('s') || operand.type.starts_with('u');
}

/// Guesses the class from a compiler's naming: %rs1, %rd1.
RegisterClass guess(const std::string& name, RegisterClass least) {
  constexpr std::array<std::pair<std::string_view, RegisterClass>, 3> prefixes{
      {{"%rs", RegisterClass::B16}, {"%rd", RegisterClass::B64}, {"%r", RegisterClass::B32}}};
  for (const auto& [prefix, file] : prefixes) {
    const bool numbered = name.starts_with(prefix) && name.find_first_not_of("0123456789", prefix.size()) == name.npos;
    if (numbered && name.size() > prefix.size()) return file;
  }
  return least;
}

}  // namespace

Expected<std::vector<Statement>> statements_of(const PtxSnippet& snippet, const OpcodeTable& table) {
  Speller speller(snippet);
  std::vector<Statement> statements;
  for (const PtxLine& line : snippet.lines) {
    auto statement = WARPCLOCK_TRY(statement_of(speller.spell(line), table));
    statement.text = to_string(line);
    statements.push_back(std::move(statement));
  }
  return statements;
}

std::vector<Use> uses_of(const std::vector<Statement>& statements) {
  std::vector<Use> uses;
  for (const Statement& statement : statements) {
    const auto& operands = statement.instruction.operands;
    for (std::size_t i = 0; i < operands.size(); ++i) {
      const bool wider = takes_wider(statement.instruction, operands[i]);
      for (const std::string& reg : statement.registers[i]) {
        uses.push_back({reg, operands[i].type, operands[i].file, wider, operands[i].value, statement.places[i]});
      }
    }
  }
  return uses;
}

Expected<std::map<std::string, RegisterClass>> register_files(const std::vector<Statement>& statements,
                                                              const PtxSnippet& snippet) {
  struct Known {
    RegisterClass file;
    std::string place;
  };
  const std::vector<Use> uses = uses_of(statements);
  std::map<std::string, Known> known;
  for (const Use& use : uses) {
    std::string declared = snippet.type_of(use.name);
    if (declared.empty()) declared = snippet.type_of(use.name.substr(1));
    if (!declared.empty()) {
      known.try_emplace(use.name, register_class(declared), "its .reg line");
    } else if (!use.wider) {
      known.try_emplace(use.name, use.file, use.place);
    }
  }
  // Only for registers that nothing else determines.
  for (const Use& use : uses) known.try_emplace(use.name, guess(use.name, use.file), use.place);
  std::map<std::string, RegisterClass> files;
  for (const Use& use : uses) {
    const Known& have = known.at(use.name);
    // Numbers of 8 bits may also be in registers of 16.
    const bool narrow = type_bits(use.type) < 16 && use.file == RegisterClass::B32;
    const int least = narrow && use.wider ? type_bits(use.type) : bits(use.file);
    const bool fits = use.wider ? bits(have.file) >= least : have.file == use.file;
    if (!fits) {
      return fail("ptx",
                  fmt::format("register {} has {} bits here, and {} at {}", use.name, bits(use.file), bits(have.file),
                              have.place),
                  use.place);
    }
    files[use.name] = have.file;
  }
  return files;
}

}  // namespace warpclock
