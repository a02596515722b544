#include "verify/instruction/expansion.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <string_view>

#include "base/text.hpp"
#include "code/flow.hpp"
#include "code/modifiers.hpp"
#include "code/semantics.hpp"
#include "verify/instruction/nothing.hpp"
#include "verify/window.hpp"

namespace warpclock {
namespace {

struct Choice {
  std::string_view opcode, modifier;  ///< modifier: one it must have, or empty
  std::string_view kind;
};

// Alternatives that ptxas was seen to use for one PTX instruction, sm_75 to sm_120.
constexpr std::array<Choice, 20> choices{{
    {"IADD3", "X", "integer add with carry"},
    {"IADD", "X", "integer add with carry"},
    {"IMAD", "X", "integer add with carry"},
    {"IADD3", "", "integer add"},
    {"IADD", "", "integer add"},
    {"VIADD", "", "integer add"},
    {"IMAD", "IADD", "integer add"},
    {"IMAD", "MOV", "move"},
    {"MOV", "", "move"},
    {"IMAD", "SHL", "shift left"},
    {"SHF", "L", "shift left"},
    {"HADD2", "", "half arithmetic"},
    {"HMUL2", "", "half arithmetic"},
    {"HFMA2", "", "half arithmetic"},
    {"FSEL", "", "select"},
    {"SEL", "", "select"},
    {"IMNMX", "", "integer minimum"},
    {"VIMNMX", "", "integer minimum"},
    {"LOP3", "", "LOP3"},
    {"PRMT", "", "PRMT"},
}};

/// Whether a LOP3 has this truth table. kind_of() asks for the three orders of the table that makes an address depend
/// on a result (ptx/experiment/conversion.cpp).
bool is_logic(const Instruction& instruction, std::string_view table) {
  return instruction.opcode == "LOP3" && std::ranges::find(instruction.operands, table) != instruction.operands.end();
}

/// "IADD3.X" as an instruction without operands.
Instruction bare(const std::string& name) {
  Instruction instruction;
  const std::vector<std::string> words = split(name, '.');
  instruction.opcode = words.front();
  instruction.modifiers.assign(words.begin() + 1, words.end());
  return instruction;
}

bool is_native(const Instruction& one, const std::vector<std::string>& native) {
  const std::string kind = kind_of(one);
  // IMAD.SHL is not a multiplication.
  const bool stands_in = one.opcode == "IMAD" && kind != one.name();
  return std::ranges::any_of(native, [&](const std::string& name) {
    const Instruction expected = bare(name);
    return kind.starts_with(kind_of(expected)) || (one.opcode == expected.opcode && !stands_in);
  });
}

void label(Expansion& expansion, const Instruction& first, const PtxInstruction& instruction) {
  const std::size_t size = expansion.opcodes.size();
  if (size > 1) {
    expansion.labels.push_back(fmt::format("{} instructions", size));
  } else if (!instruction.sass.empty() && !is_native(first, instruction.sass)) {
    expansion.labels.push_back("rewritten: " + expansion.opcodes.front());
  }
  if (expansion.calls) expansion.labels.emplace_back("calls a subroutine");
  if (expansion.branches) expansion.labels.emplace_back("branches");
}

}  // namespace

std::vector<std::size_t> own_code(const Listing& listing, std::size_t open, std::size_t close,
                                  const PtxInstruction& instruction) {
  std::vector<RegisterClass> loads;  // by the kernel itself, in order
  int stores = 0;
  for (const Operand& operand : instruction.operands) {
    if (!operand.immediate.empty()) continue;
    if (operand.read) loads.insert(loads.end(), static_cast<std::size_t>(operand.elements), operand.file);
    if (operand.written) stores += operand.elements;
  }
  std::vector<std::size_t> own;
  std::set<Register> predicates;  // registers with values that become predicates
  std::size_t loaded = 0;
  for (std::size_t i = open + 1; i < close; ++i) {
    const Instruction& one = listing.instructions[i];
    const Effects effects = effects_of(one);
    const auto reads = [&](Register reg) { return effects.reads(reg); };
    if (one.opcode == "LDS" && loaded < loads.size()) {
      if (loads[loaded++] == RegisterClass::Predicate) predicates.insert(effects.writes.begin(), effects.writes.end());
    } else if (one.opcode == "ISETP" && std::ranges::any_of(predicates, reads)) {
      std::erase_if(predicates, reads);
    } else if (!kind_of(one).empty()) {
      own.push_back(i);
    }
  }
  for (std::size_t at = own.size(); at-- > 0 && stores > 0;) {
    if (listing.instructions[own[at]].opcode != "STS") continue;
    own.erase(own.begin() + static_cast<std::ptrdiff_t>(at));
    --stores;
  }
  return own;
}

std::string kind_of(const Instruction& instruction) {
  if (is_no_operation(instruction)) return {};
  constexpr std::array<std::string_view, 3> leaning{"0x78", "0x6c", "0x6a"};
  if (std::ranges::any_of(leaning, [&](auto table) { return is_logic(instruction, table); })) return "LOP3 xor-and";
  for (const Choice& choice : choices) {
    if (choice.opcode == instruction.opcode && (choice.modifier.empty() || has_modifier(instruction, choice.modifier)))
      return std::string(choice.kind);
  }
  return instruction.name();
}

std::string kind_of(const std::string& name) { return kind_of(bare(name)); }

bool ptxas_chooses(const std::string& name) {
  const std::string kind = kind_of(name);
  return kind != name && kind != bare(name).opcode;
}

std::int64_t total(const Kinds& kinds) {
  std::int64_t sum = 0;
  for (const auto& [kind, count] : kinds) sum += count;
  return sum;
}

Expected<Expansion> expansion_of(const Listing& listing, const PtxInstruction& instruction) {
  const std::vector<std::size_t> reads = clock_reads(listing);
  if (reads.size() < 2) return fail(ErrorCode::ClockMismatch, "the compiler removed a clock read");
  // If the instruction itself reads a clock, that read lies between the outer two.
  Expansion expansion;
  const std::vector<std::size_t> own = own_code(listing, reads.front(), reads.back(), instruction);
  for (std::size_t i = reads.front() + 1; i < reads.back(); ++i) {
    const bool padding = listing.instructions[i - 1].control.stall >= saturated_stall;
    expansion.pauses |= is_no_operation(listing.instructions[i]) && !padding;
  }
  for (const std::size_t i : own) {
    const Instruction& one = listing.instructions[i];
    ++expansion.kinds[kind_of(one)];
    expansion.opcodes.push_back(one.name());
    expansion.texts.push_back(one.text);
    expansion.calls |= one.opcode == "CALL";
    expansion.branches |= is_jump(one) && one.opcode != "CALL";
  }
  const auto nothing = [&] {
    return fail(ErrorCode::NoInstruction, why_nothing_depends(listing, reads.front(), reads.back(), instruction));
  };
  if (expansion.opcodes.empty()) return nothing();
  expansion.parts = parts_of(listing, reads.front(), reads.back(), own, instruction);
  // This holds only if the data flow is known and there is an operand on which it could depend.
  const auto is_constant = [](const Part& part) {
    return (part.kind == "move" || part.kind == "CS2R") && part.sources.empty();
  };
  const bool has_source = std::ranges::any_of(instruction.operands, [](const Operand& of) { return of.read; });
  if (has_source && !expansion.parts.empty() && std::ranges::all_of(expansion.parts, is_constant)) {
    return nothing();
  }
  label(expansion, listing.instructions[own.front()], instruction);
  return expansion;
}

}  // namespace warpclock
