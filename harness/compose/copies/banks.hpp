#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "compose/copies/body.hpp"
#include "ptx/instruction.hpp"

namespace warpclock {

/// Banks of the vector register file: even and odd registers (docs/findings.md).
inline constexpr int banks = 2;

/// By block: the number, modulo `banks`, of the first register that copies should use, such that as few words as
/// possible read several registers of one bank. Blocks of several registers, and those of other files, keep the number
/// that ptxas gave them. The operand and the result of a link are in one bank.
[[nodiscard]] std::vector<int> banks_of(const Body& body, std::optional<Link> link);

/// Whether a word reads the block together with other vector registers.
[[nodiscard]] bool is_read_with_others(const Body& body, std::size_t block);

/// Whether the register file takes longer for the word's sources than a pipe may for the word: three operands of one or
/// two registers. If all copies read the same ones, reuse flags keep them, as ptxas does.
[[nodiscard]] bool waits_for_banks(const Body& body, const BodyWord& word);

}  // namespace warpclock
