#pragma once

#include <array>
#include <cstdint>

#include "code/listing.hpp"
#include "inspect/reuse_cache.hpp"

namespace warpclock {

/// When an instruction reads and writes the registers of its sub-partition. A bank gives one register a cycle, and one
/// result of the fixed-latency pipes is written in a cycle. In masks, bit n is the cycle n after the issue.
struct RegisterUse {
  std::array<int, register_banks> reads{};              ///< of each bank, as soon as it is free
  std::array<KeptRead, 4> kept{};                       ///< more if the warp has lost what it kept, those with an age
  bool queued = false;                                  ///< these do not wait for the tensor core
  std::array<std::uint32_t, register_banks> read_in{};  ///< cycles in which the tensor core reads the bank
  std::array<std::uint32_t, register_banks> either{};   ///< it reads the bank in this cycle or in the next one
  std::uint32_t written_in = 0;                         ///< cycles in which results are written
  int retry = 0;  ///< cycles that the tensor core takes longer to read if a bank was busy just before

  /// With what a warp reads that has issued so many instructions since it lost what it kept.
  [[nodiscard]] RegisterUse after(std::int64_t in_a_row) const;
};

/// `cache` is that of the instructions before. Two passes: as issue_wait() says. Source: composed loops of a tensor
/// core instruction and another one n cycles behind it (docs/findings.md, "Ports of the registers"). Nothing for a
/// matrix shape that was not measured.
[[nodiscard]] RegisterUse register_use_of(const Instruction& instruction, ReuseCache& cache, bool two_passes);

}  // namespace warpclock
