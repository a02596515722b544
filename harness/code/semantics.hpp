#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "code/listing.hpp"

namespace warpclock {

enum class RegisterFile : std::uint8_t { Vector, Uniform, Predicate, UniformPredicate };

/// One 32-bit (or one-bit) register. The sinks RZ, URZ, PT and UPT are no registers.
struct Register {
  RegisterFile file = RegisterFile::Vector;
  int index = 0;

  auto operator<=>(const Register&) const = default;
};

/// "R4", "UR4", "P0", "UP0".
[[nodiscard]] std::string to_string(Register reg);

/// What an instruction reads and writes through registers; memory and scoreboards are not in it.
struct Effects {
  std::vector<Register> writes;
  std::vector<std::vector<Register>> sources;  ///< per operand after the results, in SASS order; immediates are empty
  std::vector<Register> guard;                 ///< the predicate it runs under
  bool conditional = false;                    ///< a register it writes may keep its old value

  [[nodiscard]] bool reads(Register reg) const;
  [[nodiscard]] bool writes_to(Register reg) const;
};

/// Which operands are results and how many registers each spans comes from a table of opcodes (semantics.cpp). An
/// opcode that is not in it: the first operand is the result when it is a register, predicates right after it are
/// further results, and `.64`/`.128` widen every register operand.
[[nodiscard]] Effects effects_of(const Instruction& instruction);

/// Registers of 32 bits that each fragment of a warp-level matrix multiply-accumulate spans.
struct Fragments {
  int d = 1, a = 1, b = 1, c = 1;
};

/// From the shape and type modifiers: HMMA.16816.F32 is {4, 4, 2, 4}. PTX ISA, "Matrix fragments for mma": a warp holds
/// the M x K elements of A in 32 lanes, and so on.
[[nodiscard]] Fragments fragments_of(const Instruction& instruction);

/// Whether the result arrives when a scoreboard says so, and not after a number of cycles that ptxas knows.
[[nodiscard]] bool variable_latency(const Instruction& instruction);

}  // namespace warpclock
