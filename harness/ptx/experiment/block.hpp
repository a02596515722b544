#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "ptx/instruction.hpp"
#include "ptx/opcodes.hpp"
#include "ptx/snippet.hpp"

namespace warpclock {

/// The memory that a register of a block points to.
struct Base {
  std::string space;
  std::int64_t bytes = 0;               ///< size of the largest access of a thread
  std::int64_t before = 0, behind = 0;  ///< bytes from its address back to the first accessed, and on to the end
};

/// The inputs and outputs of a block.
struct Dataflow {
  std::set<std::string> sources;  ///< read before they are written
  /// Registers that are written and not read again, and sources that are written. Each has the sources on which it
  /// depends and the number of statements in between.
  std::map<std::string, std::map<std::string, int>> results;
  std::map<std::string, Base> bases;  ///< sources that are bases of addresses
  std::set<std::string> steering;     ///< other sources from which addresses are computed
};

/// Error "ptx-unsupported" for addresses that have no source as base.
[[nodiscard]] Expected<Dataflow> follow(const std::vector<Statement>& statements);

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
