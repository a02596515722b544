#pragma once

#include <string>

#include "ptx/experiment.hpp"
#include "ptx/instruction.hpp"

namespace warpclock {

/// The probe (probes/README.md) that asks `experiment` of an instruction: device code with N as its repeat count. Its
/// registers are PTX registers of the kernel, named after the operands: `wa0_1` is element 0 of `a` in chain 1.
/// Inputs differ by lane and are unknown to the compiler; `Operand::value` says what they hold.
[[nodiscard]] std::string kernel_source(const PtxInstruction& instruction, const Experiment& experiment);

/// Bytes of global memory that such a kernel needs behind `args.data`, for blocks of at most 32 warps.
inline constexpr std::int64_t instruction_data_bytes = 1 << 20;

}  // namespace warpclock
