#pragma once

#include <cstdint>
#include <span>

#include "code/listing.hpp"
#include "inspect/inspection.hpp"

namespace warpclock {

inline constexpr std::uint32_t bank_bytes = 4, sector_bytes = 32, line_bytes = 128;

/// The sectors of one line that an access touches.
struct LineSectors {
  std::int32_t line = 0;      ///< from the line of the first lane on
  std::uint32_t sectors = 0;  ///< a bit for each

  bool operator==(const LineSectors&) const = default;
};

/// How an access is seen by the banks. Counting: ATOMS.POPC.INC, whose lanes at one address are counted first.
enum class BankUse { Load, Store, Atomic, Counting };

[[nodiscard]] BankUse bank_use_of(const Instruction& instruction, const Access& access);

/// LDSM and STSM.
[[nodiscard]] bool is_matrix(const Instruction& instruction);

/// The turns that the 32 banks of shared memory need for a warp's access of `bytes` a lane. A load of 8 or 16 bytes
/// goes by halves and quarters of the warp, of which two need one turn if neighbours (lanes i and i ^ 1, or i and i ^
/// 2) have the same address. Lanes of an atomic meet even at one address. Sources: `geometry/bank`,
/// `geometry/bank_wide`, `geometry/conflict`, `geometry/broadcast`, `geometry/store_conflict`, `geometry/store_same`,
/// `atomics/shared_throughput`.
[[nodiscard]] double wavefronts_of(std::span<const std::uint32_t> addresses, int bytes, BankUse use);

/// LDSM and STSM of so many bytes of a lane: each lane has the address of 16 bytes, eight lanes those of one matrix.
[[nodiscard]] double matrix_wavefronts(std::span<const std::uint32_t> addresses, int bytes);

/// Those of an instruction that accesses shared memory at these addresses, of the lanes that do.
[[nodiscard]] double bank_turns(const Instruction& instruction, const Access& access,
                                std::span<const std::uint32_t> addresses);

/// The turns of L1 for an access to global memory at these addresses, in these lines: of its 32 banks, where all lines
/// have the same place, or of the four banks that know which lines it has. Source: docs/findings.md, "L1 takes turns by
/// banks of data and of lines".
[[nodiscard]] double l1_turns(const Instruction& instruction, const Access& access,
                              std::span<const std::uint32_t> addresses, std::span<const LineSectors> lines);

}  // namespace warpclock
