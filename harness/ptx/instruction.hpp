#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "ptx/line.hpp"
#include "ptx/opcodes.hpp"

namespace warpclock {

/// Size classes of PTX registers. An untyped register (.b32) goes with every type of its size (PTX ISA, "Operand size
/// and type": fundamental types), so these are all that a kernel needs to declare.
enum class RegisterClass : std::uint8_t { Predicate, B16, B32, B64, B128 };

[[nodiscard]] std::string_view ptx_type(RegisterClass file);  ///< "pred", "b16", ...
[[nodiscard]] int bits(RegisterClass file);                   ///< 1, 16, 32, 64, 128

/// An operand that is understood: what it is, not which register it is in.
struct Operand {
  std::string name;  ///< "d", "a", "p": from the placeholder, or from the opcode table for a PTX listing
  std::string type;  ///< of one element, as PTX spells it: "f32", "b64", "f16x2", "pred", "e4m3x2"
  RegisterClass file = RegisterClass::B32;
  int elements = 1;     ///< registers of class `file`: 4 for `{%f1, %f2, %f3, %f4}` and for the A of mma.m16n8k16
  bool vector = false;  ///< stands in braces even with one element
  bool written = false, read = false;
  std::string immediate;  ///< fixed text ("3", "0xffffffff", "%laneid"): then no register, neither read nor written
  std::string symbol;     ///< the variable whose address the fixed text is, as the listing calls it
  std::string value;      ///< what a register holds at first (see value_names), empty: random
  // An address: `file` is that of the address register.
  bool address = false;
  std::string space;              ///< "global", "shared", "shared::cluster", "local", "const", "param", "" for generic
  std::int64_t access_bytes = 0;  ///< read or written through it by a thread, 0 when the instruction moves no data
  std::string offset;             ///< "+16", "+-4"
  std::int64_t before = 0, behind = 0;  ///< of a block: bytes around the address that a thread reaches
  bool steers = false;                  ///< an address is computed from it: nothing but its own value may be in it

  bool operator==(const Operand&) const = default;
};

/// A part of an instruction's text: fixed text, or element `element` of operand `operand`.
struct Piece {
  std::string text;
  int operand = -1;
  int element = 0;
  bool begins = false;  ///< a statement: a guard may stand before it

  bool operator==(const Piece&) const = default;
};

/// How copies reach each other: the result `from` becomes the source `to` of the next one.
struct Link {
  std::size_t from = 0, to = 0;  ///< operands

  bool operator==(const Link&) const = default;
};

/// A latency that is asked for: "latency.r4.f1".
struct AskedLink {
  Link link;
  std::string name;
  bool through_all = true;  ///< every statement is on the way

  bool operator==(const AskedLink&) const = default;
};

/// Of a block: result `to` depends on source `from`, over so many statements.
struct Flow {
  std::size_t from = 0, to = 0;  ///< operands
  int statements = 1;

  bool operator==(const Flow&) const = default;
};

/// One PTX instruction with its operands known: what `warpclock cycles` and the catalogue ask about. Or a block of
/// several, which is asked about like one (ptx/experiment/block.hpp).
struct PtxInstruction {
  std::string opcode;             ///< "fma"
  std::string mnemonic;           ///< "fma.rn.f32"
  std::string text;               ///< canonical: "fma.rn.f32 {d}, {a}, {b}, {c}"
  std::string section;            ///< of the PTX ISA: "Floating Point Instructions: fma"
  std::vector<std::string> sass;  ///< SASS opcodes that it is natively: {"FFMA"}; empty when the table does not say
  std::string kind;               ///< "arithmetic", "load", "store", "atomic", "barrier", ... (see OpcodeRow::kind)
  std::vector<Operand> operands;
  std::vector<Piece> pieces;
  int statements = 1;
  std::vector<Flow> flows;           ///< of a block; of one instruction every result depends on every source
  std::vector<std::size_t> carried;  ///< of a block: sources that it writes, from themselves
  std::vector<AskedLink> asked;      ///< all that is asked of it; empty: every latency, and a throughput
  bool guarded = false;              ///< a statement has a guard of its own, and none can be put before it

  [[nodiscard]] bool is_block() const { return statements > 1; }

  bool operator==(const PtxInstruction&) const = default;
};

/// What a kernel calls the variable whose address stands in operand `name`, and its own first parameter.
[[nodiscard]] inline std::string symbol_name(const std::string& name) { return "wvariable_" + name; }
inline constexpr std::string_view parameter_symbol = "wparameter";

/// What a config or a flag says over the table: `--operand b=imm:3`, `--value a=zero`.
struct Choices {
  std::map<std::string, std::string> operands;  ///< operand -> "imm:3", or a type, "f16x2"
  std::map<std::string, std::string> values;    ///< operand -> random, zero, one, denormal, ... (see value_names)
};

/// Words that `--value` takes: "random" (normal floats of magnitude 1 to 2, random integers), "zero", "one",
/// "denormal", "infinity", "nan", "lane" (the lane's number), "bits" (random bits, whatever they mean).
/// A predicate is false for "zero" and true for "one"; a guard starts with the one that lets its instruction run.
[[nodiscard]] const std::vector<std::string>& value_names();

/// Finds roles, types and register classes. A register that stands twice is one operand, as a placeholder is; one that
/// is also written is two of them, unless a guard may leave it as it was. Errors: "ptx" (an operand that cannot be
/// derived, named, with its column in `place`; too few or too many operands), "ptx-opcode" (an unknown opcode, with the
/// nearest known ones), "ptx-unsupported" (known, and why it is not measured: branches, calls).
[[nodiscard]] Expected<PtxInstruction> describe(const PtxLine& line, const OpcodeTable& table,
                                                const Choices& choices = {});

/// The same of a statement of a block, which follows registers itself: each operand is one, whatever register is in it.
[[nodiscard]] Expected<PtxInstruction> describe_apart(const PtxLine& line, const OpcodeTable& table);

/// A register, or a placeholder, of which only one value is known to be legal: "%r4" became "0xffffffff".
struct MadeConstant {
  std::string given, constant;

  bool operator==(const MadeConstant&) const = default;
};

[[nodiscard]] std::vector<MadeConstant> made_constant(const PtxLine& line, const OpcodeTable& table,
                                                      const Choices& choices = {});

/// The instruction, its semicolon with it, with `name(operand, element)` in the place of every register and `guard`
/// before every statement.
template <class Name>
[[nodiscard]] std::string render(const PtxInstruction& instruction, Name name, const std::string& guard = {}) {
  std::string text = instruction.is_block() ? "" : guard;
  for (const Piece& piece : instruction.pieces) {
    if (piece.begins) text += guard;
    text += piece.operand < 0 ? piece.text : name(static_cast<std::size_t>(piece.operand), piece.element);
  }
  return instruction.is_block() ? text : text + ';';
}

}  // namespace warpclock
