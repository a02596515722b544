#pragma once

#include <array>
#include <cstdint>

#include "code/listing.hpp"

namespace warpclock {

inline constexpr std::size_t register_banks = 2;  ///< the bank of a register is its number modulo 2

/// When an instruction reads and writes the registers of its sub-partition. A bank gives one register a cycle, and one
/// result of the fixed-latency pipes is written in a cycle. In masks, bit n is the cycle n after the issue.
struct RegisterUse {
  std::array<int, register_banks> reads{};              ///< of each bank, as soon as it is free
  bool queued = false;                                  ///< these do not wait for the tensor core
  std::array<std::uint32_t, register_banks> read_in{};  ///< cycles in which the tensor core reads the bank
  std::array<std::uint32_t, register_banks> either{};   ///< it reads the bank in this cycle or in the next one
  std::uint32_t written_in = 0;                         ///< cycles in which results are written
  int retry = 0;  ///< cycles that the tensor core takes longer to read if a bank was busy just before
};

/// `before` may be null: the instruction whose reuse flags count. Two passes: as issue_wait() says. Source: composed
/// loops of a tensor core instruction and another one n cycles behind it (docs/findings.md, "Ports of the registers").
/// Nothing for a matrix shape that was not measured.
[[nodiscard]] RegisterUse register_use_of(const Instruction& instruction, const Instruction* before, bool two_passes);

}  // namespace warpclock
