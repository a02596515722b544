#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "code/listing.hpp"

namespace warpclock {

/// Which of the leading operands are results.
enum class Results {
  First,           ///< the first, if it is a register, and bare predicates right after it (carries)
  One,             ///< the first alone
  Two,             ///< the first two
  PredicateFirst,  ///< a predicate and the register after it, or the register alone
  Vote,            ///< a register and a predicate, or a predicate alone
  None,            ///< the first operand is read
};

/// How many registers a plain operand (one not in brackets) spans.
enum class Width { One, Two, Size, Matrices, Tensor, Texel, Int64, Float64, To, From, D, A, B, C };

/// The operand layout of an opcode.
struct SassRow {
  std::string_view opcode;
  std::string_view modifier;  ///< a modifier that the instruction must have, or empty
  Results results = Results::First;
  std::array<Width, 5> widths{Width::Size, Width::Size, Width::Size, Width::Size, Width::Size};  ///< result, sources
};

/// The row of the instruction's opcode, or the default: Results::First, Width::Size.
[[nodiscard]] const SassRow& opcode_row(const Instruction& instruction);

[[nodiscard]] int registers_of(Width width, const Instruction& instruction);

enum class RegisterFile : std::uint8_t { Vector, Uniform, Predicate, UniformPredicate };

/// One 32-bit (or one-bit) register. The sinks RZ, URZ, PT and UPT do not count as registers.
struct Register {
  RegisterFile file = RegisterFile::Vector;
  int index = 0;

  auto operator<=>(const Register&) const = default;
};

/// "R4", "UR4", "P0", "UP0".
[[nodiscard]] std::string to_string(Register reg);

/// The register that the word names; nothing for sinks and for other words.
[[nodiscard]] std::optional<Register> parse_register(std::string_view word);

/// The registers that an instruction reads and writes. Memory and scoreboards are not included.
struct Effects {
  std::vector<Register> writes;
  std::vector<std::vector<Register>> sources;  ///< by operand after the results, in SASS order; empty for immediates
  std::vector<Register> guard;                 ///< the predicate under which it executes
  bool conditional = false;                    ///< a register that it writes may keep its old value

  [[nodiscard]] bool reads(Register reg) const;
  [[nodiscard]] bool writes_to(Register reg) const;
};

/// A table of opcodes (opcodes.cpp) says which operands are results and how many registers each spans. For an opcode
/// that is not in it, the first operand is the result if it is a register, predicates right after it are further
/// results, and `.64`/`.128` widen every register operand.
[[nodiscard]] Effects effects_of(const Instruction& instruction);

/// Registers of a thread: one more than the highest number in the code.
[[nodiscard]] int registers_in(std::span<const Instruction> code);

/// The number of 32-bit registers of each fragment of a warp-level matrix multiply-accumulate.
struct Fragments {
  int d = 1, a = 1, b = 1, c = 1;
};

/// Derived from the shape and type modifiers: HMMA.16816.F32 is {4, 4, 2, 4}. PTX ISA, "Matrix fragments for mma": a
/// warp holds the M x K elements of A in 32 lanes, and so on.
[[nodiscard]] Fragments fragments_of(const Instruction& instruction);

/// Whether a warp group executes it together: HGMMA, IGMMA, QGMMA, BGMMA.
[[nodiscard]] inline bool is_group_multiply(std::string_view opcode) { return opcode.ends_with("GMMA"); }

/// Whether a scoreboard signals the arrival of the result, as opposed to a number of cycles that ptxas knows.
[[nodiscard]] bool variable_latency(const Instruction& instruction);

/// The pipe, by CUPTI's name, on which an opcode with its modifiers was seen to execute. It determines which counters
/// to read first, and what to subtract from them for instructions other than the measured one.
[[nodiscard]] std::string_view pipe_of(std::string_view opcode);

}  // namespace warpclock
