#pragma once

#include <cstdint>
#include <string>

#include "ptx/experiment/experiment.hpp"
#include "ptx/instruction.hpp"

namespace warpclock {

/// The kernel that asks `experiment` of an instruction with `n` as its repeat count (probes/README.md says what windows
/// are): PTX from its entry on, with what it declares outside, to be assembled behind a module's directives.
/// kernel_mark (ptx/experiment/frame.hpp) stands where the kernel's name belongs. Registers are named after the
/// operands: `wa0_1` is element 0 of `a` in chain 1. Inputs differ by lane and are unknown to ptxas; `Operand::value`
/// says what they hold.
[[nodiscard]] std::string kernel_ptx(const PtxInstruction& instruction, const Experiment& experiment, std::int64_t n);

/// Bytes of global memory that such a kernel needs behind its `data`, for blocks of at most 32 warps. What it accesses
/// by address lies `at` bytes further on, if it gets such a number.
inline constexpr std::int64_t instruction_data_bytes = 1 << 20;

}  // namespace warpclock
