#pragma once

#include <array>
#include <optional>
#include <string>

#include "verify/window.hpp"

namespace warpclock {

/// How many source registers are in each of the two banks of the register file, which hold the even and the odd
/// numbers. A register that is read twice counts twice; each register of a wider operand counts. Results, RZ, uniform
/// registers, predicates, constants and immediates do not count.
[[nodiscard]] std::array<int, 2> bank_reads(const Instruction& instruction);

/// The number of operands flagged `.reuse`, which the reuse cache is to keep.
[[nodiscard]] int reuse_flags(const Instruction& instruction);

/// A sentence that says why the targets read other registers than claimed, or nothing if they do not. In a loop it
/// refers to the static body.
[[nodiscard]] std::optional<std::string> why_other_operands(const Listing& listing, const Window& window,
                                                            const Expectation& expect);

}  // namespace warpclock
