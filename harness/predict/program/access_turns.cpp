#include "predict/program/access_turns.hpp"

#include <algorithm>

#include "code/listing.hpp"

namespace warpclock {
namespace {

/// Each turn takes `of_part` cycles of the sub-partition's part of the unit.
void add_turns(ProgramStep& made, double later, double of_part) {
  if (made.unit < 0) return;
  made.unit_busy = {std::max(1.0, made.unit_busy.low + later), std::max(1.0, made.unit_busy.high + later)};
  const double more = std::max(0.0, later), delay = more * std::max(1.0, of_part);
  made.latency = {made.latency.low + delay, made.latency.high + delay};
  made.busy = {made.busy.low + more * of_part, made.busy.high + more * of_part};
}

bool copies(const Instruction& instruction) { return instruction.opcode == "LDGSTS"; }

}  // namespace

void add_bank_turns(ProgramStep& made, const Instruction& instruction, const AccessPattern& pattern) {
  // One warp takes 2 cycles for LDS, 8 for the four turns of LDS.128, and 6, 10 and 18 for ATOMS.CAS of 4, 8 and 16
  // bytes (`machine.json`).
  constexpr double bank_turn = 2;
  const AccessPattern row = assumed_pattern(instruction);
  if (copies(instruction)) {
    made.writes = has_modifier(instruction, "BYPASS");
    const double turns = pattern.wavefronts + (made.writes ? 0 : pattern.l1_turns);
    made.unit_busy = {turns, turns};
  } else if (pattern.wavefronts != row.wavefronts) {
    add_turns(made, pattern.wavefronts - row.wavefronts, bank_turn);
  }
}

void add_l1_turns(ProgramStep& made, const Instruction& instruction, const AccessPattern& pattern) {
  const double turns = pattern.l1_turns - assumed_pattern(instruction).l1_turns;
  if (turns > 0 && !copies(instruction)) add_turns(made, turns, 0);
}

}  // namespace warpclock
