#pragma once

#include <string>
#include <vector>

#include "base/error.hpp"
#include "ptx/instruction.hpp"
#include "ptx/line.hpp"
#include "ptx/opcodes.hpp"

namespace warpclock {

/// Determines roles, types and register classes. A register that occurs twice is one operand, like a placeholder. If it
/// is also written, it is two operands, unless a guard may keep its old value. Errors: "ptx" (an operand that cannot be
/// determined, with its name and its column in `place`; too few or too many operands), "ptx-opcode" (an unknown opcode,
/// with the nearest known ones), "ptx-unsupported" (a known one that is not measured, with the reason: branches,
/// calls).
[[nodiscard]] Expected<PtxInstruction> describe(const PtxLine& line, const OpcodeTable& table,
                                                const Choices& choices = {});

/// The same for a statement of a block. The block tracks registers itself, so each occurrence is a separate operand.
[[nodiscard]] Expected<PtxInstruction> describe_apart(const PtxLine& line, const OpcodeTable& table);

/// Error "ptx" where a register of the line has the name that compilers give to registers of another size. For lines
/// without declarations.
[[nodiscard]] Expected<void> registers_fit(const PtxLine& line, const OpcodeTable& table, const Choices& choices);

/// A register or placeholder for which only one value is known to be legal: "%r4" became "0xffffffff".
struct MadeConstant {
  std::string given, constant;

  bool operator==(const MadeConstant&) const = default;
};

[[nodiscard]] std::vector<MadeConstant> made_constant(const PtxLine& line, const OpcodeTable& table,
                                                      const Choices& choices = {});

}  // namespace warpclock
