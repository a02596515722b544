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

}  // namespace warpclock
