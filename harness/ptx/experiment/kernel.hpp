#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

#include "ptx/experiment/experiment.hpp"
#include "ptx/instruction.hpp"

namespace warpclock {

/// PTX that turns result `link.from` into source `link.to` if their sizes differ: the code between two links of a
/// chain. `name(operand, element)` returns a register. Taking half of a register pair costs no machine instruction. The
/// cost of other conversions is determined from the machine code and subtracted (verify/instruction/linkage.hpp).
[[nodiscard]] std::string conversion(const PtxInstruction& instruction, Link link,
                                     const std::function<std::string(std::size_t, int)>& name);

/// The kernel for `experiment` on an instruction, with `n` as its repeat count (probes/README.md describes windows):
/// PTX from its entry on, with its declarations outside of the entry, to be assembled after a module's directives.
/// kernel_mark (ptx/experiment/frame.hpp) is written instead of the kernel's name. Registers are named after the
/// operands: `wa0_1` is element 0 of `a` in chain 1. Inputs differ by lane and are unknown to ptxas; `Operand::value`
/// says what they hold.
[[nodiscard]] std::string kernel_ptx(const PtxInstruction& instruction, const Experiment& experiment, std::int64_t n);

/// Bytes of global memory that such a kernel needs from its `data` on, for blocks of at most 32 warps. Accesses by
/// address are moved by `at` bytes, if that argument is set.
inline constexpr std::int64_t instruction_data_bytes = 1 << 20;

}  // namespace warpclock
