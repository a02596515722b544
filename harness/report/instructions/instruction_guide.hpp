#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "ptx/catalogue/guide.hpp"
#include "record/instruction_record.hpp"

namespace warpclock {

/// Holds what was measured against the guide: a line for every operation of every row, in the guide's order. A rate of
/// a line is the throughput of the counterpart times the results of one instruction. Empty for a guide without rows;
/// `missing` says so where the guide has no column for the device.
[[nodiscard]] GuideComparison compare_with_guide(const Guide& guide, const InstructionTable& table);

/// "20 of 23 rows at 98 % or more; below: vote; another rate, explained: fp16, bit fields". Empty without a comparison.
[[nodiscard]] std::string guide_summary(const GuideComparison& comparison);

/// The lines of a row, in the order of the guide. Points into `comparison`.
struct GuideRowLines {
  std::string name;
  std::vector<const GuideLine*> lines;
};
[[nodiscard]] std::vector<GuideRowLines> guide_rows(const GuideComparison& comparison);

/// A line as text.
struct GuideCells {
  std::string documented;  ///< "64", "several", or nothing where no cell is known
  std::string measured;    ///< "174.9", and of how many results when an instruction has several
  std::string interval;    ///< "167.6 - 207.2"
  std::string ratio;       ///< "0.683"
  std::string verdict;     ///< with how the copies were kept apart, where that is not without a trick
};
[[nodiscard]] GuideCells guide_cells(const GuideLine& line);

/// Sentences on a row: why an instruction counts twice, why its rate is not the hardware's, what is unconfirmed.
[[nodiscard]] std::string guide_note(const GuideRowLines& row);

}  // namespace warpclock
