#pragma once

#include "code/listing.hpp"
#include "predict/memory/access_pattern.hpp"
#include "predict/program/program.hpp"

namespace warpclock {

/// Adds the turns of the banks of shared memory that an access takes beyond its row, whose lanes were next to each
/// other. All lanes of a row of cp.async copy the same bytes, which arrive once. What arrives is written to shared
/// memory; without BYPASS it is read from L1 before, line by line.
void add_bank_turns(ProgramStep& made, const Instruction& instruction, const AccessPattern& pattern);

/// Adds a turn of L1 for each line of a load or store beyond those of its row.
void add_line_turns(ProgramStep& made, const Instruction& instruction, const AccessPattern& pattern);

inline constexpr double group_warps = 4;  ///< warps that multiply together, each on its sub-partition

/// Turns of shared memory in which a multiply of a warp group reads the 32 bytes of each row of A and each column of B
/// that it takes from there: 32 for m64n64k16, as many as its row has cycles with A in shared memory; loads of shared
/// memory beside it add theirs (docs/findings.md, "wgmma of one warp group hides work of another").
[[nodiscard]] double operand_turns(const Instruction& multiply);

}  // namespace warpclock
