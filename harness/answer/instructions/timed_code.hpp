#pragma once

#include <string>
#include <vector>

#include "record/instruction_record.hpp"

namespace warpclock {

/// A row and the table that has it.
struct TabledRow {
  const InstructionTable& table;
  const InstructionRecord& row;
};

/// What a number of a row was timed with, as a text that rows have in common only if it was the same machine code: the
/// key of the form, for one machine instruction, or the hash of the window. Values that were chosen for operands are
/// set before a window begins, so with them the commit is part of the text. Empty if the record does not say.
[[nodiscard]] std::string timed_code(const TabledRow& of, const std::string& estimate);

/// Which latencies, throughput and issue both rows have with disjoint intervals, but of other machine code: such
/// numbers say nothing about the two GPUs. None for GPUs of two architectures, whose machine code always differs.
[[nodiscard]] std::vector<std::string> of_other_code(const TabledRow& one, const TabledRow& other);

/// "latency.a, issue: no comparison with NVIDIA H200, whose record timed other machine code (commits d6cf51e1 and
/// 3898ab8c)", or empty if there is no such number.
[[nodiscard]] std::string other_code_in_words(const TabledRow& one, const TabledRow& other);

}  // namespace warpclock
