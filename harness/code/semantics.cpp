#include "code/semantics.hpp"

#include <algorithm>
#include <initializer_list>

#include "base/text.hpp"

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

namespace {

struct Shape {
  int m = 0, n = 0, k = 0;
};

int extent(std::string_view digits) { return parse_number(digits).value_or(0); }

/// "16816", "884" (warp level: N is 8) or "64x128x16", "8x8x4"; zeros for anything else.
Shape parse_shape(std::string_view modifier) {
  if (const std::size_t first = modifier.find('x'); first != std::string_view::npos) {
    const std::size_t second = modifier.find('x', first + 1);
    if (second == std::string_view::npos) return {};
    return {extent(modifier.substr(0, first)), extent(modifier.substr(first + 1, second - first - 1)),
            extent(modifier.substr(second + 1))};
  }
  if (modifier.starts_with("168")) return {16, 8, extent(modifier.substr(3))};
  if (modifier.starts_with("88")) return {8, 8, extent(modifier.substr(2))};
  return {};
}

int element_bits(const Instruction& instruction) {
  const std::string_view opcode = instruction.opcode;
  if (opcode.starts_with('D')) return 64;
  if (opcode.starts_with('B')) return 1;
  if (opcode.starts_with('O')) return 4;
  if (opcode.starts_with('Q')) return 8;  // six-bit and four-bit types occupy bytes
  if (opcode.starts_with('I')) return has_modifier(instruction, "S4") || has_modifier(instruction, "U4") ? 4 : 8;
  return has_modifier(instruction, "TF32") ? 32 : 16;
}

int result_bits(const Instruction& instruction) {
  if (instruction.opcode.starts_with('D')) return 64;
  if (instruction.opcode.starts_with('I') || instruction.opcode.starts_with('B')) return 32;
  return has_modifier(instruction, "F32") ? 32 : 16;
}

/// The 32-bit registers per thread that hold `elements` of `bits` spread over `threads`.
int registers(int elements, int bits, int threads) { return std::clamp(elements * bits / (threads * 32), 1, 254); }

}  // namespace

Fragments fragments_of(const Instruction& instruction) {
  Shape shape;
  for (const std::string& modifier : instruction.modifiers) {
    if (shape.k == 0) shape = parse_shape(modifier);
  }
  const auto sane = [](int extent) { return extent > 0 && extent <= 512; };
  if (!sane(shape.m) || !sane(shape.n) || !sane(shape.k)) return {.d = 4, .a = 4, .b = 2, .c = 4};
  const int bits = element_bits(instruction), out = result_bits(instruction);
  const int threads = shape.m == 64 ? 128 : 32;  // only a warpgroup multiply has M = 64
  const int dense_a = shape.m * shape.k / (has_modifier(instruction, "SP") ? 2 : 1);
  const int result = registers(shape.m * shape.n, out, threads);
  return {.d = result,
          .a = registers(dense_a, bits, threads),
          .b = registers(shape.k * shape.n, bits, threads),
          .c = result};
}

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

/// R2P PR, R0, 0x3 writes P0 and P1, and P2R R0, PR, RZ, 0x3 reads them.
void keep_masked(const Instruction& instruction, std::vector<Register>& predicates) {
  const std::string& last = instruction.operands.back();
  const auto mask = last.starts_with("0x") ? decimal_or_hex(last) : std::nullopt;
  if (mask) std::erase_if(predicates, [&](Register reg) { return (*mask >> reg.index & 1) == 0; });
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
    const bool all_predicates = instruction.opcode == "P2R" && instruction.operands[i] == "PR";
    if (all_predicates) keep_masked(instruction, effects.sources.back());
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

namespace {

struct Family {
  std::string_view pipe;
  std::vector<std::string_view> opcodes;
};

// Opcodes without their modifiers, by pipe. The source is reports/nvidia-h200/instructions.json. For an opcode that
// forms rows alone, it is the pipe that executed most of it. B2R, HFMA2.MMA and VIADD occur only in rows of several
// instructions, which leave no other choice. BRA, BSSY, BSYNC, CALL, RET, LDGDEPBAR, LDGSTS, *GMMA, OMMA, QMMA, RED,
// S2UR, SU*, TEX and similar opcodes are in no such row; their names decide. Opcodes that are not listed ran on alu, or
// on uniform if the name begins with U.
const std::vector<Family>& families() {
  static const std::vector<Family> all{
      {"adu", {"B2R", "BAR", "LDC", "MATCH", "PREEXIT", "REDUX", "S2R", "S2UR", "SYNCS"}},
      {"cbu", {"BRA", "BSSY", "BSYNC", "CALL", "NANOSLEEP", "RET"}},
      {"fma", {"FADD", "FFMA", "FMUL", "HADD2", "HFMA2", "HMUL2", "IDP", "IMAD", "VIADD"}},
      {"fp64", {"DADD", "DFMA", "DMUL", "DSETP"}},
      {"lsu", {"ATOM",   "ATOMG", "ATOMS", "CCTL", "CCTLL", "LD",   "LDG", "LDGDEPBAR", "LDGSTS", "LDL", "LDS", "LDSM",
               "MEMBAR", "MOVM",  "QSPC",  "RED",  "REDG",  "SHFL", "ST",  "STG",       "STL",    "STS", "STSM"}},
      {"tensor", {"BGMMA", "BMMA", "DMMA", "HGMMA", "HMMA", "IGMMA", "IMMA", "OMMA", "QGMMA", "QMMA"}},
      {"tex", {"SULD", "SURED", "SUST", "TEX", "TLD", "TLD4", "TXD", "TXQ"}},
      {"xu", {"BREV", "F2F", "F2I", "FLO", "FRND", "I2F", "MUFU", "POPC"}},
  };
  return all;
}

}  // namespace

std::string_view pipe_of(std::string_view opcode) {
  // The tensor cores execute HFMA2.MMA; HFMA2 without .MMA runs on another pipe.
  if (opcode.starts_with("HFMA2.MMA")) return "tensor";
  const std::string_view name = opcode.substr(0, opcode.find('.'));
  for (const Family& family : families()) {
    if (std::ranges::find(family.opcodes, name) != family.opcodes.end()) return family.pipe;
  }
  return name.starts_with('U') ? "uniform" : "alu";
}

}  // namespace warpclock
