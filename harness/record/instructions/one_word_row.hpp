#pragma once

#include "compose/copies/compile_instruction.hpp"
#include "ptx/instruction.hpp"
#include "record/instruction_record.hpp"
#include "record/machine_record.hpp"

namespace warpclock {

/// Gives the row of a PTX instruction that becomes one machine instruction the numbers of that one's form:
/// `latency.<operand>` is that of the source operands that read it, the largest if there are several;
/// `encoded`, the fewest cycles that ptxas leaves, over all operands; `interval`, `throughput`, `issue`, `saturation`
/// and the curve, by the composed window of independent copies. A latency that the form does not have becomes a run
/// that says why. Outcome: measured, or that of the form with its reason.
void answer_by_form(InstructionRecord& row, const PtxInstruction& instruction, const OneWord& word,
                    const MachineRow& form);

}  // namespace warpclock
