#pragma once

#include "execute/accesses/constant_lines.hpp"
#include "model/machine.hpp"
#include "predict/memory/access_pattern.hpp"
#include "predict/program/program.hpp"

namespace warpclock {

/// By the rows of `memory/constant_chase`, whose loads are as far from each other as lines: lines that do not fit begin
/// to miss where one set has more than it holds, and all miss where each set has. Empty without rows.
[[nodiscard]] ConstantCache constant_cache(const Machine& machine);

/// What a load whose address is in a register adds: a turn for each other address of its lanes, whether in one line or
/// not, and a wait for lines that the nearest cache does not have, which come one after the other
/// (`memory/constant_loads`). Without these rows both make a range: from nothing to all in turn. Returns whether they
/// do.
[[nodiscard]] bool add_constants(ProgramStep& made, const Machine& machine, const ConstantUse& use);

/// The lines that an instruction reads from addresses in its operands.
[[nodiscard]] ConstantReads constant_reads(const Instruction& instruction);

/// Cycles that a line takes which the nearest cache does not have (`memory/constant_chase`); 0 without rows. Operands
/// and uniform loads are taken to wait as long as loads.
[[nodiscard]] double constant_missed(const Machine& machine);

}  // namespace warpclock
