#pragma once

#include <string>
#include <vector>

#include "record/machine_record.hpp"

namespace warpclock {

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

}  // namespace warpclock
