#pragma once

#include "code/listing.hpp"
#include "model/machine.hpp"
#include "predict/program/costs.hpp"
#include "predict/program/program.hpp"

namespace warpclock {

/// Whether its predicate says that it never executes.
[[nodiscard]] bool never(const Instruction& instruction);

/// What an instruction does besides occupying a pipe.
[[nodiscard]] Act act_of(const Instruction& instruction);

/// Whether everything that it waits for is simulated.
[[nodiscard]] bool is_covered(const Instruction& instruction);

/// The instruction whose row has the cost.
[[nodiscard]] Instruction with_row(const Instruction& instruction);

/// "BAR.SYNC.DEFER_BLOCKING 0x1, 0x80": the barrier and its threads.
void name_barrier(ProgramStep& made, const Instruction& instruction);

/// From the start of a multiply of a warp group to its end; with that of its batch, to the wait for it.
[[nodiscard]] Bounds multiply_latency(Act act, const Cost& cost);

/// Cycles for which a warp waits at WARPGROUP.ARRIVE, MEMBAR or UCGABAR_WAIT; 0 for others. The rows of fences also
/// contain what follows MEMBAR (ERRBAR, CGAERRBAR, CCTL.IVALL: some 40 of 660 cycles).
[[nodiscard]] double fence_cycles(const Machine& machine, const Instruction& instruction);

/// Until the scoreboard of a new mbarrier signals: between the interval of initializations and a round trip.
[[nodiscard]] Bounds initialize_latency(const Machine& machine);

}  // namespace warpclock
