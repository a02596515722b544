#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "code/modifiers.hpp"
#include "inspect/facts.hpp"
#include "predict/memory/constants.hpp"
#include "predict/memory/lane_state.hpp"

namespace warpclock {
namespace {

bool is_predicate_word(std::string_view word) {
  if (word.starts_with('!')) word.remove_prefix(1);
  const auto reg = parse_register(word);
  return word == "PT" || word == "UPT" ||
         (reg && (reg->file == RegisterFile::Predicate || reg->file == RegisterFile::UniformPredicate));
}

/// "c[0x0][0x210]", "c[0x0][RZ]": the offset in bank 0.
std::optional<std::uint32_t> in_bank_0(std::string_view word) {
  constexpr std::string_view bank = "c[0x0][";
  if (!word.starts_with(bank) || !word.ends_with(']')) return std::nullopt;
  word = word.substr(bank.size(), word.size() - bank.size() - 1);
  if (word == "RZ" || word == "URZ") return 0;
  const auto offset = immediate_of(word);
  return offset && *offset >= 0 ? std::optional(static_cast<std::uint32_t>(*offset)) : std::nullopt;
}

LaneOperand operand_of(std::string_view word) {
  using Kind = LaneOperand::Kind;
  LaneOperand made;
  if (word.contains('[') && !word.starts_with("c[") && !word.starts_with("-c["))
    return {.kind = Kind::Address, .text = std::string(word)};
  if (const auto number = immediate_of(word))
    return {.kind = Kind::Immediate, .number = static_cast<std::uint32_t>(*number)};
  made.negative = word.starts_with('-');
  made.inverted = word.starts_with('~') || word.starts_with('!');
  if (made.negative || made.inverted) word.remove_prefix(1);
  if (const auto offset = in_bank_0(word)) {
    made.kind = Kind::Constant;
    made.number = *offset;
    return made;
  }
  const std::string_view name = word.substr(0, word.find('.')), suffix = word.substr(name.size());
  if (name == "RZ" || name == "URZ" || name == "PT" || name == "UPT") {
    made.kind = Kind::Immediate;
    made.number = name.ends_with("PT") ? 1 : 0;
    if (made.inverted && name.ends_with("PT")) made.number = 0, made.inverted = false;
    return made;
  }
  if (name.starts_with("SR_")) return {.kind = Kind::Special, .text = std::string(word)};
  const auto reg = parse_register(name);
  // Halves and bytes of a register are not followed.
  if (!reg || (!suffix.empty() && suffix != ".reuse" && suffix != ".64")) return made;
  made.kind = Kind::Register;
  made.reg = *reg;
  return made;
}

constexpr std::array<std::string_view, 19> uniform_opcodes = {
    "UIADD3", "UIMAD", "ULEA",  "ULOP3", "UMOV",  "UPLOP3", "UPRMT",  "USEL",   "USHF",   "UISETP",
    "ULDC",   "UFLO",  "UPOPC", "UBREV", "USGXT", "UIADD",  "UVIADD", "UIMNMX", "UVIMNMX"};

}  // namespace

LaneOperation lane_operation(const Instruction& instruction) {
  LaneOperation made;
  made.opcode = instruction.opcode;
  if (std::ranges::find(uniform_opcodes, made.opcode) != uniform_opcodes.end()) made.opcode.erase(0, 1);
  made.modifiers = instruction.modifiers;
  const Effects effects = effects_of(instruction);
  made.writes = effects.writes;
  made.call = instruction.opcode == "CALL";
  const auto access = access_of(instruction);
  // Local memory may hold what was spilled.
  made.load = access && (access->kind == "load" || access->kind == "atomic") && access->memory != "local";
  if (const auto constant = constant_of(instruction)) made.constant = static_cast<std::uint32_t>(*constant);
  const std::size_t results =
      instruction.operands.size() - std::min(instruction.operands.size(), effects.sources.size());
  for (std::size_t i = results; i < instruction.operands.size(); ++i)
    made.sources.push_back(operand_of(instruction.operands[i]));
  // Carries in, and the predicate that is put together with a comparison's, do not change the lower word.
  constexpr std::array<std::string_view, 5> with_predicates = {"SEL", "ISETP", "PLOP3", "VOTE", "VOTEU"};
  const bool reads = std::ranges::find(with_predicates, made.opcode) != with_predicates.end();
  while (!reads && !made.sources.empty() && !instruction.operands.empty() &&
         is_predicate_word(instruction.operands[results + made.sources.size() - 1]))
    made.carries.insert(made.carries.begin(), std::exchange(made.sources.back(), {})), made.sources.pop_back();
  if (!instruction.predicate.empty()) {
    LaneOperand guard = operand_of(instruction.predicate);
    if (guard.kind == LaneOperand::Kind::Immediate && guard.number == 0) made.writes.clear();
    if (guard.kind == LaneOperand::Kind::Register) made.guard = std::move(guard);
  }
  return made;
}

}  // namespace warpclock
