#pragma once

#include <vector>

#include "base/error.hpp"
#include "ptx/instruction.hpp"
#include "ptx/opcodes.hpp"
#include "ptx/snippet.hpp"
#include "ptx/statement.hpp"

namespace warpclock {

/// The statements of a snippet as one instruction, with registers as operands. Sources are the registers that are read
/// before they are written. Results are those that are written and then not read again. A register that is both is
/// carried from one pass to the next. All other registers are internal. A snippet of one statement gives the result of
/// describe().
///
/// An address must be computed from one register, to which memory is assigned, and otherwise only from numbers, which
/// are set to zero. Errors: those of describe(), and "ptx-unsupported" if copies cannot be chained: for addresses that
/// the block itself loads, mbarriers, parameters of calls.
[[nodiscard]] Expected<PtxInstruction> describe_block(const PtxSnippet& snippet, const OpcodeTable& table,
                                                      const Choices& choices = {});

/// The same for statements that are already analysed, with the types of their registers.
[[nodiscard]] Expected<PtxInstruction> join_block(const std::vector<Statement>& statements, const PtxSnippet& declared,
                                                  const Choices& choices = {});

}  // namespace warpclock
