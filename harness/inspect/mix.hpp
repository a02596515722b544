#pragma once

#include <array>
#include <cstddef>
#include <span>

#include "code/listing.hpp"
#include "inspect/inspection.hpp"

namespace warpclock {

/// How many registers an instruction of the fma, alu and fp64 pipes reads from each of the two banks (the register
/// number modulo 2): one that several operands name once, and none that the instruction before has flagged for reuse in
/// the same operand. A multiply of two passes reads its factors in both. Zeros for instructions that do not wait for
/// the registers of a bank one by one. `before` may be null.
[[nodiscard]] std::array<int, 2> reads_of_banks(const Instruction& instruction, const Instruction* before,
                                                bool two_passes);

/// What the instructions with these indices, in the order of the listing, are made of. `branched` stays 0.
[[nodiscard]] Mix mix_of(const Listing& listing, std::span<const std::size_t> indices);

}  // namespace warpclock
