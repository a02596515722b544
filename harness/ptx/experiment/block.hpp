#pragma once

#include <vector>

#include "base/error.hpp"
#include "ptx/instruction.hpp"
#include "ptx/opcodes.hpp"
#include "ptx/snippet.hpp"
#include "ptx/statement.hpp"

namespace warpclock {

/// The statements of a snippet as one instruction, whose operands are registers: those that are read before they are
/// written are its sources, those that are written and then read no more its results, both at once what is carried from
/// one pass to the next; the others are registers of its own. A snippet of one statement is what describe() says.
///
/// What addresses are computed from: one register that memory is put behind, and besides it only numbers, which are
/// zero. Errors as describe(), and "ptx-unsupported" for what has no copy that follows it: addresses that the block
/// itself loads, mbarriers, parameters of calls.
[[nodiscard]] Expected<PtxInstruction> describe_block(const PtxSnippet& snippet, const OpcodeTable& table,
                                                      const Choices& choices = {});

/// The same of statements that are understood, with the types of their registers.
[[nodiscard]] Expected<PtxInstruction> join_block(const std::vector<Statement>& statements, const PtxSnippet& declared,
                                                  const Choices& choices = {});

}  // namespace warpclock
