#include "code/semantics.hpp"

#include <algorithm>
#include <array>
#include <initializer_list>

#include "base/text.hpp"
#include "code/modifiers.hpp"
#include "code/opcodes.hpp"

namespace warpclock {
namespace {

bool is_one_of(std::string_view word, std::initializer_list<std::string_view> words) {
  return std::ranges::find(words, word) != words.end();
}

bool is_word(char c) { return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_'; }

bool is_predicate(std::string_view operand) {
  if (is_one_of(operand, {"PT", "UPT"})) return true;
  const auto reg = parse_register(operand);
  return reg && (reg->file == RegisterFile::Predicate || reg->file == RegisterFile::UniformPredicate);
}

bool is_plain_register(std::string_view operand) {
  const std::string_view word = operand.substr(0, operand.find('.'));
  return is_one_of(word, {"RZ", "URZ", "PR", "UPR"}) || is_predicate(word) || parse_register(word);
}

std::size_t result_count(const Instruction& instruction, Results results) {
  const auto& operands = instruction.operands;
  // An address, an immediate or a label is never a result.
  if (results == Results::None || operands.empty() || !is_plain_register(operands.front())) return 0;
  const bool predicate_first = is_predicate(operands.front());
  switch (results) {
    case Results::One:
      return 1;
    case Results::Two:
      return std::min<std::size_t>(2, operands.size());
    case Results::PredicateFirst:
      return predicate_first && operands.size() > 1 && is_plain_register(operands[1]) && !is_predicate(operands[1]) ? 2
                                                                                                                    : 1;
    case Results::Vote:
      return predicate_first ? 1 : std::min<std::size_t>(2, operands.size());
    case Results::First: {
      std::size_t count = 1;
      while (count < operands.size() && is_predicate(operands[count])) ++count;
      return count;
    }
    case Results::None:
      break;
  }
  return 0;
}

/// The number of registers that a register name inside brackets denotes. `container` is the text before the bracket:
/// "desc", "gdesc", "c".
int address_registers(Register reg, std::string_view container, std::string_view suffix,
                      const Instruction& instruction) {
  if (suffix.starts_with(".64")) return 2;
  if (reg.file == RegisterFile::Uniform) {
    if (container == "gdesc") return 4;  // both matrix descriptors of a warpgroup multiply
    return container == "desc" || container == "cx" ? 2 : 1;
  }
  // .E means "64-bit address". Some opcodes do not repeat it at the register (ATOMG.E.CAS). The first address of LDGSTS
  // is in shared memory.
  const bool wide = has_modifier(instruction, "E") && instruction.opcode != "LDGSTS" && !suffix.starts_with(".U32");
  return wide && reg.file == RegisterFile::Vector ? 2 : 1;
}

void append(std::vector<Register>& registers, Register first, int count) {
  for (int i = 0; i < count && first.index + i <= 254; ++i) registers.push_back({first.file, first.index + i});
}

std::vector<Register> registers_in(std::string_view operand, Width width, const Instruction& instruction) {
  std::vector<Register> registers;
  int depth = 0;
  std::string_view container, word;
  for (std::size_t i = 0; i < operand.size();) {
    if (operand[i] == '[' || operand[i] == ']') {
      depth += operand[i] == '[' ? 1 : -1;
      if (operand[i] == '[') container = word;
      word = {};
    }
    if (!is_word(operand[i])) {
      ++i;
      continue;
    }
    const std::size_t start = i;
    while (i < operand.size() && is_word(operand[i])) ++i;
    word = operand.substr(start, i - start);
    if (start > 0 && operand[start - 1] == '.') continue;  // a modifier
    const RegisterFile predicates = word == "UPR" ? RegisterFile::UniformPredicate : RegisterFile::Predicate;
    if (is_one_of(word, {"PR", "UPR"})) append(registers, {predicates, 0}, 7);
    const auto reg = parse_register(word);
    if (!reg) continue;
    const bool one_bit = reg->file == RegisterFile::Predicate || reg->file == RegisterFile::UniformPredicate;
    const int count = one_bit     ? 1
                      : depth > 0 ? address_registers(*reg, container, operand.substr(i), instruction)
                                  : registers_of(width, instruction);
    append(registers, *reg, count);
  }
  return registers;
}

/// Whether an operand of a warp-group multiply is behind the accumulators, which follow the descriptors: the metadata
/// of a sparse A.
bool follows_accumulators(const Instruction& instruction, std::size_t operand) {
  if (!is_group_multiply(instruction.opcode)) return false;
  const auto before = std::span(instruction.operands).first(operand - 1);
  return std::ranges::any_of(before, [](const std::string& one) { return one.starts_with("gdesc["); });
}

/// R2P PR, R0, 0x3 writes P0 and P1.
void keep_masked(const Instruction& instruction, std::vector<Register>& writes) {
  const std::string& last = instruction.operands.back();
  const auto mask = last.starts_with("0x") ? decimal_or_hex(last) : std::nullopt;
  if (mask) std::erase_if(writes, [&](Register reg) { return (*mask >> reg.index & 1) == 0; });
}

}  // namespace

std::optional<Register> parse_register(std::string_view word) {
  const auto numbered = [&word](std::string_view prefix, int last) -> std::optional<int> {
    if (!word.starts_with(prefix) || word.size() == prefix.size()) return std::nullopt;
    const auto index = parse_number(word.substr(prefix.size()));
    return index && *index <= last ? index : std::nullopt;
  };
  if (const auto index = numbered("UR", 254)) return Register{RegisterFile::Uniform, *index};
  if (const auto index = numbered("UP", 6)) return Register{RegisterFile::UniformPredicate, *index};
  if (const auto index = numbered("R", 254)) return Register{RegisterFile::Vector, *index};
  if (const auto index = numbered("P", 6)) return Register{RegisterFile::Predicate, *index};
  return std::nullopt;
}

std::string to_string(Register reg) {
  constexpr std::array<std::string_view, 4> prefixes{"R", "UR", "P", "UP"};
  return std::string(prefixes[static_cast<std::size_t>(reg.file)]) + std::to_string(reg.index);
}

bool Effects::reads(Register reg) const {
  const auto in = [reg](const std::vector<Register>& registers) {
    return std::ranges::find(registers, reg) != registers.end();
  };
  return in(guard) || std::ranges::any_of(sources, in);
}

bool Effects::writes_to(Register reg) const { return std::ranges::find(writes, reg) != writes.end(); }

Effects effects_of(const Instruction& instruction) {
  const SassRow& row = opcode_row(instruction);
  const std::size_t results = result_count(instruction, row.results);
  Effects effects;
  for (std::size_t i = 0; i < results; ++i) {
    for (const Register reg : registers_in(instruction.operands[i], row.widths[0], instruction)) {
      effects.writes.push_back(reg);
    }
  }
  if (instruction.opcode == "R2P") keep_masked(instruction, effects.writes);
  for (std::size_t i = results; i < instruction.operands.size(); ++i) {
    const bool metadata = i > results && follows_accumulators(instruction, i);
    const Width width = metadata ? Width::One : row.widths[std::min(i - results + 1, row.widths.size() - 1)];
    effects.sources.push_back(registers_in(instruction.operands[i], width, instruction));
  }
  effects.guard = registers_in(instruction.predicate, Width::One, instruction);
  effects.conditional = !effects.guard.empty();
  return effects;
}

bool variable_latency(const Instruction& instruction) { return instruction.control.write_barrier >= 0; }

int registers_in(std::span<const Instruction> code) {
  int count = 0;
  const auto raise = [&](const std::vector<Register>& registers) {
    for (const Register reg : registers)
      if (reg.file == RegisterFile::Vector) count = std::max(count, reg.index + 1);
  };
  for (const Instruction& instruction : code) {
    const Effects effects = effects_of(instruction);
    raise(effects.writes);
    for (const auto& source : effects.sources) raise(source);
  }
  return count;
}

}  // namespace warpclock
