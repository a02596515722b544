#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "ptx/instruction.hpp"
#include "ptx/snippet.hpp"

namespace warpclock {

/// From a register that a block takes to one that it gives: the statements on the way between them and no others, as an
/// instruction that is asked for that latency alone. What those read besides is there before. Since each statement
/// depends on the source and leads to the result, copies that follow each other have nothing to share, and what else
/// the block does (which would need helpers to survive being copied) takes no part in the number.
struct Way {
  std::string name;                               ///< "latency.r4.f1"
  std::string source, result;                     ///< registers
  std::vector<std::string> alike_from, alike_to;  ///< elements of the same vectors, for which it is the same
  std::optional<PtxInstruction> instruction;      ///< or
  std::string why_not;
};

/// Every way through a block, in the order of its sources; for a source that no result depends on, why there is none.
/// Nothing for a snippet of one statement.
[[nodiscard]] std::vector<Way> ways_of(const PtxSnippet& snippet, const OpcodeTable& table,
                                       const Choices& choices = {});

}  // namespace warpclock
