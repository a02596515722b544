#pragma once

#include <array>
#include <optional>
#include <string>

#include "verify/window.hpp"

namespace warpclock {

/// How many source registers are in each of the two banks of the register file: those of even and of odd number. One
/// that is read twice counts twice; of an operand of several registers each counts. Results, RZ, uniform registers,
/// predicates, constants and immediates are not in it.
[[nodiscard]] std::array<int, 2> bank_reads(const Instruction& instruction);

/// Operands that the reuse cache is told to keep.
[[nodiscard]] int reuse_flags(const Instruction& instruction);

/// Why the targets read other registers than is claimed, as a sentence; nothing when they do not. In a loop it is said
/// of its static body.
[[nodiscard]] std::optional<std::string> why_other_operands(const Listing& listing, const Window& window,
                                                            const Expectation& expect);

}  // namespace warpclock
