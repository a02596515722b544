#pragma once

#include <array>
#include <string_view>

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

}  // namespace warpclock
