#pragma once

#include <string>

#include "compose/copies/compile_instruction.hpp"
#include "ptx/instruction.hpp"
#include "record/instruction_record.hpp"

namespace warpclock {

/// The window of a trial as a row has it, without samples.
[[nodiscard]] InstructionRun run_of(const Trial& trial, const PtxInstruction& instruction);

/// Cycles of the companions on the chain, per copy.
[[nodiscard]] double links_on_chain(const InstructionVerdict& verdict);

/// How much of an encoded distance does not come from stall counts; empty if all does.
[[nodiscard]] std::string waits_note(const InstructionVerdict& verdict);

/// Appends to a note, after a semicolon.
void add_note(std::string& note, const std::string& more);

}  // namespace warpclock
