#include "code/opcodes.hpp"

#include <algorithm>
#include <initializer_list>

#include "code/modifiers.hpp"
#include "code/semantics.hpp"

namespace warpclock {
namespace {

constexpr Width W1 = Width::One, W2 = Width::Two;

/// The first matching row is used.
constexpr SassRow rows[] = {
    {"IMAD", "WIDE", Results::First, {W2, W1, W1, W2, W1}},
    {"UIMAD", "WIDE", Results::First, {W2, W1, W1, W2, W1}},
    {"IMAD", "HI", Results::First, {W1, W1, W1, W2, W1}},
    {"UIMAD", "HI", Results::First, {W1, W1, W1, W2, W1}},
    {"DADD", "", Results::First, {W2, W2, W2, W2, W2}},
    {"DMUL", "", Results::First, {W2, W2, W2, W2, W2}},
    {"DFMA", "", Results::First, {W2, W2, W2, W2, W2}},
    {"DMNMX", "", Results::First, {W2, W2, W2, W2, W2}},
    {"DSETP", "", Results::Two, {W1, W2, W2, W1, W1}},
    {"FADD2", "", Results::First, {W2, W2, W2, W2, W2}},
    {"FMUL2", "", Results::First, {W2, W2, W2, W2, W2}},
    {"FFMA2", "", Results::First, {W2, W2, W2, W2, W2}},
    {"CS2R", "32", Results::One, {W1, W1, W1, W1, W1}},
    {"CS2R", "", Results::One, {W2, W1, W1, W1, W1}},
    {"I2F", "", Results::First, {Width::Float64, Width::Int64, W1, W1, W1}},
    {"F2I", "", Results::First, {Width::Int64, Width::Float64, W1, W1, W1}},
    {"FRND", "F64", Results::First, {W2, W2, W1, W1, W1}},
    {"F2F", "", Results::First, {Width::To, Width::From, W1, W1, W1}},
    {"ISETP", "", Results::Two, {W1, Width::Int64, Width::Int64, W1, W1}},
    {"UISETP", "", Results::Two, {W1, Width::Int64, Width::Int64, W1, W1}},
    {"FSETP", "", Results::Two, {W1, W1, W1, W1, W1}},
    {"UFSETP", "", Results::Two, {W1, W1, W1, W1, W1}},
    {"HSETP2", "", Results::Two, {W1, W1, W1, W1, W1}},
    {"PLOP3", "", Results::Two, {W1, W1, W1, W1, W1}},
    {"UPLOP3", "", Results::Two, {W1, W1, W1, W1, W1}},
    {"PSETP", "", Results::Two, {W1, W1, W1, W1, W1}},
    {"ELECT", "", Results::Two, {W1, W1, W1, W1, W1}},
    {"FCHK", "", Results::One, {W1, W1, W1, W1, W1}},
    {"P2R", "", Results::One, {W1, W1, W1, W1, W1}},
    {"R2P", "", Results::One, {W1, W1, W1, W1, W1}},
    {"UP2UR", "", Results::One, {W1, W1, W1, W1, W1}},
    {"VOTE", "", Results::Vote, {W1, W1, W1, W1, W1}},
    {"VOTEU", "", Results::Vote, {W1, W1, W1, W1, W1}},
    {"LOP3", "", Results::PredicateFirst},
    {"ULOP3", "", Results::PredicateFirst},
    {"SHFL", "", Results::PredicateFirst, {W1, W1, W1, W1, W1}},
    {"MATCH", "U64", Results::PredicateFirst, {W1, W2, W1, W1, W1}},
    {"MATCH", "", Results::PredicateFirst, {W1, W1, W1, W1, W1}},
    {"R2UR", "", Results::PredicateFirst, {W1, W1, W1, W1, W1}},
    {"QSPC", "", Results::PredicateFirst, {W1, W1, W1, W1, W1}},
    {"UTCATOMSWS", "", Results::PredicateFirst, {W1, W1, W1, W1, W1}},
    {"ATOM", "", Results::PredicateFirst},
    {"ATOMG", "", Results::PredicateFirst},
    {"ATOMS", "", Results::PredicateFirst},
    {"LD", "", Results::PredicateFirst},
    {"LDG", "256", Results::Two},
    {"LDG", "", Results::PredicateFirst},
    {"TLD", "", Results::Two, {Width::Texel, W1, W1, W1, W1}},
    {"LDSM", "", Results::First, {Width::Matrices, W1, W1, W1, W1}},
    {"STSM", "", Results::None, {W1, Width::Matrices, Width::Matrices, W1, W1}},
    {"LDTM", "", Results::First, {Width::Tensor, W1, W1, W1, W1}},
    {"STTM", "", Results::None, {W1, Width::Tensor, Width::Tensor, W1, W1}},
    {"HMMA", "", Results::First, {Width::D, Width::A, Width::B, Width::C, W1}},
    {"IMMA", "", Results::First, {Width::D, Width::A, Width::B, Width::C, W1}},
    {"BMMA", "", Results::First, {Width::D, Width::A, Width::B, Width::C, W1}},
    {"DMMA", "", Results::First, {Width::D, Width::A, Width::B, Width::C, W1}},
    {"QMMA", "", Results::First, {Width::D, Width::A, Width::B, Width::C, W1}},
    {"OMMA", "", Results::First, {Width::D, Width::A, Width::B, Width::C, W1}},
    {"HGMMA", "", Results::First, {Width::D, Width::A, Width::C, Width::C, Width::C}},
    {"IGMMA", "", Results::First, {Width::D, Width::A, Width::C, Width::C, Width::C}},
    {"QGMMA", "", Results::First, {Width::D, Width::A, Width::C, Width::C, Width::C}},
    {"BGMMA", "", Results::First, {Width::D, Width::A, Width::C, Width::C, Width::C}},
    // Opcodes whose first operand may be a plain register that is read.
    {"BAR", "", Results::None},
    {"BRA", "", Results::None},
    {"BRX", "", Results::None, {W1, W2, W2, W2, W2}},
    {"BRXU", "", Results::None},
    {"BREAK", "", Results::None},
    {"BSYNC", "", Results::None},
    {"CALL", "", Results::None, {W1, W2, W2, W2, W2}},
    {"EXIT", "", Results::None},
    {"JMP", "", Results::None},
    {"JMX", "", Results::None, {W1, W2, W2, W2, W2}},
    {"KILL", "", Results::None},
    {"NANOSLEEP", "", Results::None},
    {"R2B", "", Results::None},
    {"RET", "", Results::None, {W1, W2, W2, W2, W2}},
    {"USETMAXREG", "TRY_ALLOC", Results::One},
    {"USETMAXREG", "", Results::None},
    {"WARPSYNC", "", Results::None},
};
constexpr SassRow unknown{"", ""};

bool has_64bit_integer(const Instruction& instruction) {
  return has_modifier(instruction, "S64") || has_modifier(instruction, "U64");
}

/// The last 2 or 4 of "16.M88.4"; the first modifier is the element size.
int matrices(const Instruction& instruction) {
  if (has_modifier(instruction, "4")) return 4;
  return has_modifier(instruction, "2") ? 2 : 1;
}

/// tcgen05 load and store: registers per lane (PTX ISA, "tcgen05.ld: .shape, .num").
int tensor_registers(const Instruction& instruction) {
  int repeats = 1, each = 1;
  for (const std::string& modifier : instruction.modifiers) {
    if (modifier.starts_with('x'))
      repeats = std::clamp(parse_number(std::string_view(modifier).substr(1)).value_or(1), 1, 128);
    if (modifier == "16dp128bit") each = 2;
    if (modifier == "16dp256bit") each = 4;
  }
  return repeats * each;
}

/// The components that a texture read keeps: two per operand, the first two in the second operand. The mask is the last
/// operand and is present only if not all four are kept. For three components, the operand of the last one is also
/// counted as a pair.
int texel_registers(const Instruction& instruction) {
  const std::string_view mask = instruction.operands.empty() ? std::string_view{} : instruction.operands.back();
  return mask == "0x1" || mask == "0x2" || mask == "0x4" || mask == "0x8" ? 1 : 2;
}

/// "F64" and "F32" of F2F.F64.F32: to, from.
std::string_view conversion_type(const Instruction& instruction, int which) {
  for (const std::string& modifier : instruction.modifiers) {
    const bool type = modifier == "F16" || modifier == "BF16" || modifier == "F32" || modifier == "F64";
    if (type && which-- == 0) return modifier;
  }
  return {};
}

bool has_any(const Instruction& instruction, std::initializer_list<std::string_view> modifiers) {
  return std::ranges::any_of(modifiers, [&](std::string_view one) { return has_modifier(instruction, one); });
}

}  // namespace

const SassRow& opcode_row(const Instruction& instruction) {
  for (const SassRow& row : rows) {
    if (row.opcode == instruction.opcode && (row.modifier.empty() || has_modifier(instruction, row.modifier)))
      return row;
  }
  return unknown;
}

int registers_of(Width width, const Instruction& instruction) {
  const auto two_if = [](bool wide) { return wide ? 2 : 1; };
  switch (width) {
    case Width::One:
      return 1;
    case Width::Two:
      return 2;
    case Width::Size:
      if (has_any(instruction, {"128", "256", "F32x4", "F16x8", "BF16x8"})) return 4;
      // ATOMG.E.MIN.S64, but not SHF.L.S64.HI, which shifts one of two registers.
      if (instruction.opcode.starts_with("ATOM") || instruction.opcode.starts_with("RED"))
        return two_if(has_any(instruction, {"64", "S64", "F64", "F32x2", "F16x4", "BF16x4"}));
      return two_if(has_any(instruction, {"64", "F64", "F32x2", "F16x4", "BF16x4"}));
    case Width::Matrices:
      return matrices(instruction);
    case Width::Tensor:
      return tensor_registers(instruction);
    case Width::Texel:
      return texel_registers(instruction);
    case Width::Int64:
      return two_if(has_64bit_integer(instruction));
    case Width::Float64:
      return two_if(has_modifier(instruction, "F64"));
    case Width::To:
      return two_if(conversion_type(instruction, 0) == "F64");
    case Width::From:
      return two_if(conversion_type(instruction, 1) == "F64");
    case Width::D:
      return fragments_of(instruction).d;
    case Width::A:
      return fragments_of(instruction).a;
    case Width::B:
      return fragments_of(instruction).b;
    case Width::C:
      return fragments_of(instruction).c;
  }
  return 1;
}

}  // namespace warpclock
