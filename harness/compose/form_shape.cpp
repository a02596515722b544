#include "compose/form_shape.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>
#include <string_view>

#include "code/semantics.hpp"
#include "compose/hole_source.hpp"

namespace warpclock {
namespace {

using Kind = OperandShape::Kind;

Kind kind_of(RegisterFile file) {
  switch (file) {
    case RegisterFile::Vector:
      return Kind::Vector;
    case RegisterFile::Uniform:
      return Kind::Uniform;
    case RegisterFile::Predicate:
      return Kind::Predicate;
    case RegisterFile::UniformPredicate:
      return Kind::UniformPredicate;
  }
  return Kind::None;
}

std::unexpected<Error> no_shape(const WordForm& form, std::string_view why) {
  return fail("compose", fmt::format("'{}' {}", text_of(form.skeleton), why));
}

}  // namespace

std::optional<std::size_t> register_of(const Skeleton& skeleton, std::size_t operand) {
  for (std::size_t i = 1; i < skeleton.numerals.size(); ++i) {
    const Numeral& one = skeleton.numerals[i];
    if (one.operand == static_cast<int>(operand) && !one.last && one.kind <= Numeral::Kind::UniformPredicate) return i;
  }
  return std::nullopt;
}

bool accesses_global_memory(const Instruction& instruction) {
  constexpr std::array<std::string_view, 11> global{"LDG", "STG",  "RED",  "REDG",   "ATOMG", "LD",
                                                    "ST",  "ATOM", "CCTL", "LDGSTS", "QSPC"};
  return std::ranges::find(global, instruction.opcode) != global.end();
}

bool accesses_shared_memory(const Instruction& instruction) {
  constexpr std::array<std::string_view, 7> shared{"LDS", "STS", "ATOMS", "LDSM", "STSM", "ATOMS_CAST", "REDS"};
  return std::ranges::find(shared, instruction.opcode) != shared.end();
}

std::optional<std::size_t> FormShape::result() const {
  for (const Kind wanted : {Kind::Vector, Kind::Uniform, Kind::Predicate}) {
    const auto at = std::ranges::find(results, wanted, &OperandShape::kind);
    if (at != results.end()) return static_cast<std::size_t>(at - results.begin());
  }
  return std::nullopt;
}

bool FormShape::wide() const {
  constexpr int most = 2 * quad_registers;
  const auto is_wide = [](const OperandShape& one) { return one.registers > most; };
  return std::ranges::any_of(results, is_wide) || std::ranges::any_of(sources, is_wide);
}

Expected<FormShape> shape_of(const WordForm& form) {
  const auto instruction = parse_instruction(text_of(form.skeleton));
  if (!instruction) return no_shape(form, "is no instruction");
  if (!form.skeleton.numerals.empty() && !form.skeleton.numerals.front().last) return no_shape(form, "has a guard");
  const Effects effects = effects_of(*instruction);
  FormShape shape;
  const std::size_t results = instruction->operands.size() - effects.sources.size();
  for (const char* all : {"PR", "UPR"}) {
    const std::span written = std::span(instruction->operands).first(results);
    if (std::ranges::find(written, all) != written.end()) return no_shape(form, "writes all predicates");
  }
  for (std::size_t i = 0; i < instruction->operands.size(); ++i) {
    OperandShape one;
    if (const auto numeral = register_of(form.skeleton, i)) {
      one.kind = static_cast<Kind>(static_cast<int>(form.skeleton.numerals[*numeral].kind) + 1);
    }
    if (instruction->operands[i].contains('[')) {
      const bool bank = instruction->operands[i].starts_with("c[");
      one.kind = bank && one.kind == Kind::None ? Kind::None : Kind::Address;
    }
    if (i < results) {
      const bool one_bit = one.kind == Kind::Predicate || one.kind == Kind::UniformPredicate;
      one.registers =
          one_bit ? 1 : static_cast<int>(std::ranges::count_if(effects.writes, [&](const Register& written) {
            return kind_of(written.file) == one.kind;
          }));
      shape.results.push_back(one);
    } else {
      one.registers = static_cast<int>(effects.sources[i - results].size());
      if (one.registers == 0 && one.kind != Kind::Address) one.kind = Kind::None;
      if (one.kind == Kind::None) one.registers = 0;
      shape.sources.push_back(one);
    }
  }
  // LDG.256 has two operands for its result.
  const auto alike = static_cast<int>(std::ranges::count(shape.results, Kind::Vector, &OperandShape::kind));
  for (OperandShape& one : shape.results) {
    if (one.kind == Kind::Vector && alike > 1) one.registers /= alike;
  }
  return shape;
}

}  // namespace warpclock
