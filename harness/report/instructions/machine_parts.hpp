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
/// "4", "A 4 · B 5", "by scoreboard", or empty.
[[nodiscard]] std::string least_stalls(const MachineRow& row);
/// "2.005": cycles between two instructions on one sub-partition; or empty.
[[nodiscard]] std::string issue_interval_text(const MachineRow& row);
/// The same for one warp alone: the lowest of its cells that are linear.
[[nodiscard]] std::string one_warp_text(const MachineRow& row);

/// Whether the row has a number: a latency, a minimum stall count or an issue interval.
[[nodiscard]] bool has_numbers(const MachineRow& row);
/// Why it has none: its reason, or "no-number" with the notes of what was tried.
[[nodiscard]] Error why_none(const MachineRow& row);

/// One sentence each: if the timed latency and the minimum stall count differ by more than half a cycle, if other
/// warps require a larger stall count, and if ptxas leaves more or fewer cycles than the largest.
[[nodiscard]] std::vector<std::string> machine_findings(const MachineRow& row);

struct MachineCounts {
  std::size_t rows = 0, measured = 0;
  std::size_t intervals = 0;  ///< rows with an issue interval
  std::size_t complete = 0;   ///< rows with a latency from each of their operands, and at least one operand
  std::vector<std::pair<std::string, std::size_t>> without;  ///< by code, the most frequent first
};
[[nodiscard]] MachineCounts count_rows(const MachineTable& table);

/// Shade of a cell of a heat map, 0 to 5; 5 means at least twice the least cycles.
[[nodiscard]] int heat_shade(double cycles, double least);

struct RelationCell {
  std::string text;   ///< empty if there is no number
  std::string title;  ///< the whole result, or why there is none
  int shade = 0;      ///< 0 to 5; -1: none
};

/// One table of relations between machine instructions.
struct RelationGrid {
  std::string title, says, corner;
  std::vector<std::string> columns;
  struct Row {
    std::string name;
    std::vector<RelationCell> cells;  ///< one for each column
  };
  std::vector<Row> rows;
};

/// Adds a cell, with its row and column if they are new.
void put(RelationGrid& grid, const std::string& row, const std::string& column, RelationCell cell);

[[nodiscard]] std::string short_cycles(double cycles);
[[nodiscard]] std::string percent(double share);
/// What warps wait for and which pipes are busy, in cycles that one turn of a warp adds: "; a warp waits a turn for
/// math_pipe_throttle 5.6; busy cycles of pipes a turn and warp: fmalite 3.8". Empty if nothing was counted.
[[nodiscard]] std::string counters_text(const IssueStudy& study);

/// Multiplies of warp groups together with other instructions.
[[nodiscard]] RelationGrid multiply_grid(const MachineTable& table);
/// Two forms in different warps of a sub-partition.
[[nodiscard]] RelationGrid between_warps_grid(const MachineTable& table);

/// Where a curve over the number of instructions leaves the line through its beginning.
struct FetchBend {
  int last_straight = 0;  ///< the largest number of instructions that is still within 5 % of the line
  int first_slow = 0;     ///< the next one; 0 if the curve stays on the line
  double before = 0;      ///< cycles an instruction and sub-partition at the beginning
  double after = 0;       ///< and between the last two numbers
};
/// Nothing if there are fewer than four points.
[[nodiscard]] std::optional<FetchBend> fetch_bend(const IssueCell& cell);

/// Producer to consumer, pairs, register banks, instructions together with wgmma, and instruction fetch; only those
/// that the table has.
[[nodiscard]] std::vector<RelationGrid> relation_grids(const MachineTable& table);

}  // namespace warpclock
