#include "build/expansion.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "build/flow.hpp"
#include "build/modifiers.hpp"
#include "build/window.hpp"

namespace warpclock {
namespace {

struct Choice {
  std::string_view opcode, modifier;  ///< modifier: one it must have, or empty
  std::string_view kind;
};

// Seen side by side for one PTX instruction in ptxas' output, sm_75 to sm_120.
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
    {"HADD2", "", "half add"},
    {"HMUL2", "", "half multiply"},
    {"HFMA2", "", "half multiply-add"},
    {"FSEL", "", "select"},
    {"SEL", "", "select"},
    {"IMNMX", "", "integer minimum"},
    {"VIMNMX", "", "integer minimum"},
    {"LOP3", "", "LOP3"},
    {"PRMT", "", "PRMT"},
}};

bool is_native(const std::string& name, const std::vector<std::string>& native) {
  return std::ranges::any_of(native, [&](const std::string& opcode) {
    return name.starts_with(opcode) && (name.size() == opcode.size() || name[opcode.size()] == '.');
  });
}

void label(Expansion& expansion, const PtxInstruction& instruction) {
  const std::size_t size = expansion.opcodes.size();
  if (size > 1) {
    expansion.labels.push_back(fmt::format("{} instructions", size));
  } else if (!instruction.sass.empty() && !is_native(expansion.opcodes.front(), instruction.sass)) {
    expansion.labels.push_back("rewritten: " + expansion.opcodes.front());
  }
  if (expansion.calls) expansion.labels.emplace_back("calls a subroutine");
  if (expansion.branches) expansion.labels.emplace_back("branches");
}

}  // namespace

std::string kind_of(const Instruction& instruction) {
  if (is_no_operation(instruction)) return {};
  for (const Choice& choice : choices) {
    if (choice.opcode == instruction.opcode && (choice.modifier.empty() || has_modifier(instruction, choice.modifier)))
      return std::string(choice.kind);
  }
  return instruction.name();
}

std::int64_t total(const Kinds& kinds) {
  std::int64_t sum = 0;
  for (const auto& [kind, count] : kinds) sum += count;
  return sum;
}

Expected<Expansion> expansion_of(const Listing& listing, const PtxInstruction& instruction) {
  const std::vector<std::size_t> reads = clock_reads(listing);
  if (reads.size() < 2) return fail("clock-mismatch", "the compiler removed a clock read");
  // A special register that is itself a clock is read between the two.
  Expansion expansion;
  for (std::size_t i = reads.front() + 1; i < reads.back(); ++i) {
    const Instruction& one = listing.instructions[i];
    const std::string kind = kind_of(one);
    if (kind.empty()) continue;
    ++expansion.kinds[kind];
    expansion.opcodes.push_back(one.name());
    expansion.calls |= one.opcode == "CALL";
    expansion.branches |= is_jump(one) && one.opcode != "CALL";
  }
  if (expansion.opcodes.empty()) return fail("folded", "no machine instruction is left of it");
  label(expansion, instruction);
  return expansion;
}

}  // namespace warpclock
