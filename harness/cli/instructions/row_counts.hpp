#pragma once

#include <cstddef>
#include <vector>

#include "record/instruction_record.hpp"

namespace warpclock {

/// Whether every window of a row was verified in an inquiry that runs nothing, or it was measured.
[[nodiscard]] bool is_sound(const InstructionRecord& row);

struct RowCounts {
  std::size_t sound = 0, skipped = 0, rejected = 0, failed = 0;

  void add(const InstructionRecord& row);
};

/// Prints a line for each row that was rejected or failed, and the counts of each family, unless `quiet`. `done`: what
/// happened to sound rows, "measured".
[[nodiscard]] RowCounts count_rows(const std::vector<InstructionRecord>& rows, const char* done, bool quiet);

}  // namespace warpclock
