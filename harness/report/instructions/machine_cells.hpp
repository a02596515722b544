#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "record/machine_record.hpp"

namespace warpclock {

/// What the tables of machine instructions have in common.

/// "A" of source operand 0.
[[nodiscard]] std::string operand_letter(int source);
/// "A 4 · B 4 · C 4": of the operands with a measured latency, to a tenth of a cycle.
[[nodiscard]] std::string machine_latencies(const MachineRow& row);
/// "4", "A 4 · B 5", "by scoreboard", or empty.
[[nodiscard]] std::string least_stalls(const MachineRow& row);
/// "2.005": cycles between two of one sub-partition; or empty.
[[nodiscard]] std::string issue_interval_text(const MachineRow& row);
/// The same of one warp alone: the least of its cells that are lines.
[[nodiscard]] std::string one_warp_text(const MachineRow& row);

/// Whether there is a number: a latency, a least right stall count or an issue interval.
[[nodiscard]] bool has_numbers(const MachineRow& row);
/// Why there is none: its reason, or "no-number" with the notes of what was tried.
[[nodiscard]] Error why_none(const MachineRow& row);

/// A sentence each: where the timed latency and the least right stall count differ by more than half a cycle, where
/// other warps make a larger stall count necessary, and where ptxas leaves more or fewer cycles than the largest.
[[nodiscard]] std::vector<std::string> machine_findings(const MachineRow& row);

/// Whether it was measured with several stall counts or with and without the yield hint.
[[nodiscard]] bool has_surface(const MachineRow& row);

struct MachineCounts {
  std::size_t rows = 0, measured = 0;
  std::size_t intervals = 0;  ///< rows with an issue interval
  std::size_t complete = 0;   ///< rows with a latency from each of their operands, of which there is one at least
  std::vector<std::pair<std::string, std::size_t>> without;  ///< by code, the most first
};
[[nodiscard]] MachineCounts count_rows(const MachineTable& table);

}  // namespace warpclock
