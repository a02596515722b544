#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace warpclock {

/// Size classes of PTX registers. An untyped register (.b32) may hold every type of its size (PTX ISA, "Operand size
/// and type": fundamental types), so a kernel needs to declare no others.
enum class RegisterClass : std::uint8_t { Predicate, B16, B32, B64, B128 };

[[nodiscard]] std::string_view ptx_type(RegisterClass file);  ///< "pred", "b16", ...
[[nodiscard]] int bits(RegisterClass file);                   ///< 1, 16, 32, 64, 128

/// An analysed operand: its properties, but not its register.
struct Operand {
  std::string name;  ///< "d", "a", "p": from the placeholder, or from the opcode table for a PTX listing
  std::string type;  ///< of one element, as PTX spells it: "f32", "b64", "f16x2", "pred", "e4m3x2"
  RegisterClass file = RegisterClass::B32;
  int elements = 1;     ///< registers of class `file`: 4 for `{%f1, %f2, %f3, %f4}` and for the A of mma.m16n8k16
  bool vector = false;  ///< written in braces even with one element
  bool written = false, read = false;
  std::string immediate;  ///< constant text ("3", "0xffffffff", "%laneid"): not a register, neither read nor written
  std::string symbol;     ///< the variable whose address is the constant text, as named in the listing
  std::string value;      ///< initial value of the register (see value_names), empty: random
  // For an address, `file` is the class of the address register.
  bool address = false;
  std::string space;              ///< "global", "shared", "shared::cluster", "local", "const", "param", "" for generic
  std::int64_t access_bytes = 0;  ///< bytes that a thread accesses through it, 0 if the instruction moves no data
  std::string offset;             ///< "+16", "+-4"
  std::int64_t before = 0, behind = 0;  ///< for a block: bytes around the address that a thread accesses
  bool steers = false;                  ///< an address is computed from it, so its value must not be changed

  bool operator==(const Operand&) const = default;
};

/// A part of an instruction's text: fixed text, or element `element` of operand `operand`.
struct Piece {
  std::string text;
  int operand = -1;
  int element = 0;
  bool begins = false;  ///< it begins a statement, before which a guard may be placed

  bool operator==(const Piece&) const = default;
};

/// How copies are chained: result `from` becomes source `to` of the next copy.
struct Link {
  std::size_t from = 0, to = 0;  ///< indices of operands

  bool operator==(const Link&) const = default;
};

/// A requested latency: "latency.r4.f1".
struct AskedLink {
  Link link;
  std::string name;
  bool through_all = true;  ///< every statement lies on the path

  bool operator==(const AskedLink&) const = default;
};

/// In a block, result `to` depends on source `from` through this number of statements.
struct Flow {
  std::size_t from = 0, to = 0;  ///< indices of operands
  int statements = 1;

  bool operator==(const Flow&) const = default;
};

/// One analysed PTX instruction, which `warpclock cycles` and the catalogue measure, or a block of several, which is
/// measured like a single one (ptx/experiment/block.hpp).
struct PtxInstruction {
  std::string opcode;             ///< "fma"
  std::string mnemonic;           ///< "fma.rn.f32"
  std::string text;               ///< canonical: "fma.rn.f32 {d}, {a}, {b}, {c}"
  std::string section;            ///< section of the PTX ISA: "Floating Point Instructions: fma"
  std::vector<std::string> sass;  ///< SASS opcodes of its native form: {"FFMA"}; empty if the table does not say
  std::string kind;               ///< "arithmetic", "load", "store", "atomic", "barrier", ... (see OpcodeRow::kind)
  std::vector<Operand> operands;
  std::vector<Piece> pieces;
  int statements = 1;
  std::vector<Flow> flows;           ///< of a block; in a single instruction every result depends on every source
  std::vector<std::size_t> carried;  ///< of a block: sources that it overwrites with values that depend on them
  std::vector<AskedLink> asked;      ///< the only latencies to measure; empty: all latencies, and a throughput
  bool guarded = false;              ///< a statement already has a guard, so none can be added

  [[nodiscard]] bool is_block() const { return statements > 1; }

  bool operator==(const PtxInstruction&) const = default;
};

/// The kernel's name for the variable whose address is operand `name`, and for its own first parameter.
[[nodiscard]] inline std::string symbol_name(const std::string& name) { return "wvariable_" + name; }
inline constexpr std::string_view parameter_symbol = "wparameter";

/// What a config or a flag specifies in addition to the table: `--operand b=imm:3`, `--value a=zero`.
struct Choices {
  std::map<std::string, std::string> operands;  ///< operand -> "imm:3", or a type, "f16x2"
  std::map<std::string, std::string> values;    ///< operand -> random, zero, one, denormal, ... (see value_names)
};

/// The words for `--value`: "random" (normal floats of magnitude 1 to 2, random integers), "zero", "one", "denormal",
/// "infinity", "nan", "lane" (the lane's number), "bits" (random bits, whatever they mean). A predicate is false for
/// "zero" and true for "one"; a guard starts with the value that lets its instruction run. An address has no value, but
/// the phase for which an instruction waits at an mbarrier is "complete" or "pending".
[[nodiscard]] const std::vector<std::string>& value_names();
inline constexpr std::string_view mbarrier_complete = "complete", mbarrier_pending = "pending";

/// The instruction with its semicolon, with every register replaced by `name(operand, element)`, and `guard` before
/// every statement.
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
