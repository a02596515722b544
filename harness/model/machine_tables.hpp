#pragma once

#include <vector>

#include "model/make_machine.hpp"

namespace warpclock {

/// An entry for each form of machine instruction with a number: `latency.a` and `minimum_stall.a` from its first source
/// operand, `interval`. Its pipe follows from rows of the instruction table with counters of a single pipe.
[[nodiscard]] std::vector<Entry> instruction_entries(const MachineTable& table, const InstructionTable* instructions);

/// An entry for each producer and operand of a consumer, "IADD3->FFMA.A": `latency` by scoreboard or `minimum_stall`,
/// and `minimum_stall_among_warps`.
[[nodiscard]] std::vector<Entry> dependence_entries(const MachineTable& table);

/// An entry for each pair of instructions, "FFMA+LDS": `cycles` of one of each that alternate, and `cycles.runs` in
/// runs.
[[nodiscard]] std::vector<Entry> pair_entries(const MachineTable& table);

/// The issue intervals of a pipe's form: `interval.warps4.stall1`, with `.yield` behind it if the yield hint was set.
[[nodiscard]] Entry pipe_entry(const PipeRule& rule, const MachineTable* table);

}  // namespace warpclock
