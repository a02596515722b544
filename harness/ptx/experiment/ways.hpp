#pragma once

#include <optional>
#include <string>
#include <vector>

#include "ptx/instruction.hpp"
#include "ptx/opcodes.hpp"
#include "ptx/snippet.hpp"

namespace warpclock {

/// A path from an input register of a block to an output register: the statements between them and no others, as an
/// instruction for which only that latency is measured. Other inputs of these statements are ready beforehand. Each
/// statement depends on the source and leads to the result. So consecutive copies share nothing, and the rest of the
/// block, which would need helper instructions to survive copying, does not affect the number.
struct Way {
  std::string name;                               ///< "latency.r4.f1"
  std::string source, result;                     ///< registers
  std::vector<std::string> alike_from, alike_to;  ///< elements of the same vectors, which have the same latency
  std::optional<PtxInstruction> instruction;      ///< or
  std::string why_not;
};

/// Every path through a block, in the order of its sources. A source on which no result depends gets the reason. Empty
/// for a snippet of one statement.
[[nodiscard]] std::vector<Way> ways_of(const PtxSnippet& snippet, const OpcodeTable& table,
                                       const Choices& choices = {});

}  // namespace warpclock
