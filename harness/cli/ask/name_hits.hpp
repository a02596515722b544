#pragma once

#include <string>
#include <vector>

#include "answer/ask/hits.hpp"
#include "cli/answers/answers.hpp"

namespace warpclock {

/// The instructions that words of the question name, as `cycles` understands them: each opcode of PTX, with the words
/// that are parts of its name ("ldmatrix x2 trans", "mma tf32"). `tables` are those of the GPUs of the book, in its
/// order.
[[nodiscard]] std::vector<Hit> instruction_hits(const AskedWords& question, const ProbeBook& book,
                                                const std::vector<RecordedTable>& tables);

/// The opcodes of machine instructions among the words, in capitals, or of no instruction of PTX.
[[nodiscard]] std::vector<Hit> opcode_hits(const AskedWords& question, const ProbeBook& book);

}  // namespace warpclock
