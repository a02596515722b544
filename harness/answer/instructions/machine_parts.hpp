#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "record/machine_record.hpp"

namespace warpclock {

/// What the page says of machine instructions.

/// "A" for source operand 0.
[[nodiscard]] std::string operand_letter(int source);
/// "A 4 · B 4 · C 4": the operands with a measured latency, to a tenth of a cycle.
[[nodiscard]] std::string machine_latencies(const MachineRow& row);
/// "2.005": cycles between two instructions on one sub-partition; or empty.
[[nodiscard]] std::string issue_interval_text(const MachineRow& row);

/// Whether the row has a number: a latency, a minimum stall count or an issue interval.
[[nodiscard]] bool has_numbers(const MachineRow& row);
/// Why it has none: its reason, or "no-number" with the notes of what was tried.
[[nodiscard]] Error why_none(const MachineRow& row);

struct MachineCounts {
  std::size_t rows = 0, measured = 0;
  std::size_t intervals = 0;  ///< rows with an issue interval
  std::size_t complete = 0;   ///< rows with a latency from each of their operands, and at least one operand
  std::vector<std::pair<std::string, std::size_t>> without;  ///< by code, the most frequent first
};
[[nodiscard]] MachineCounts count_rows(const MachineTable& table);

}  // namespace warpclock
