#pragma once

#include <optional>
#include <string>
#include <vector>

#include "record/machine_record.hpp"
#include "report/html/html_page.hpp"
#include "report/instructions/relation_grid.hpp"

namespace warpclock {

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

/// As parts that are closed (closed_part()).
[[nodiscard]] std::string html_relations(const MachineTable& table, Parts& parts);
[[nodiscard]] std::string markdown_relations(const MachineTable& table);

}  // namespace warpclock
