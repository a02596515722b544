#include "ptx/statement.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "base/lookup.hpp"
#include "ptx/describe.hpp"
#include "ptx/form.hpp"
#include "ptx/types.hpp"

namespace warpclock {
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
  const auto has = [&](std::string_view word) {
    return std::ranges::find(line.modifiers, word) != line.modifiers.end();
  };
  statement.makes_carry = has("cc");
  statement.takes_carry = line.opcode == "addc" || line.opcode == "subc" || line.opcode == "madc";
  statement.instruction = std::move(instruction);
  return statement;
}

/// PTX ISA, "Operand Size Exceeding Instruction-Type Size": loads, stores and conversions, except of floats.
bool takes_wider(const PtxInstruction& instruction, const Operand& operand) {
  constexpr std::array<std::string_view, 4> opcodes{"ld", "ldu", "st", "cvt"};
  if (std::ranges::find(opcodes, instruction.opcode) == opcodes.end() || operand.elements > 8) return false;
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
