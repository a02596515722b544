#pragma once

#include "code/listing.hpp"
#include "predict/memory/access_pattern.hpp"
#include "predict/program/program.hpp"

namespace warpclock {

/// Adds the turns of the banks of shared memory that an access takes beyond its row, whose lanes were next to each
/// other. All lanes of a row of cp.async copy the same bytes, which arrive once. What arrives is written to shared
/// memory; without BYPASS it is read from L1 before.
void add_bank_turns(ProgramStep& made, const Instruction& instruction, const AccessPattern& pattern);

/// Adds the turns of L1 that a load or store takes beyond those of its row.
void add_l1_turns(ProgramStep& made, const Instruction& instruction, const AccessPattern& pattern);

}  // namespace warpclock
