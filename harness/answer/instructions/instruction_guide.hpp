#pragma once

#include <string>
#include <vector>

#include "ptx/catalogue/guide.hpp"
#include "record/instruction_record.hpp"

namespace warpclock {

/// Compares the measurements with the guide, one line for every operation of every row, in the guide's order. The rate
/// of a line is the throughput of the counterpart times the results of one instruction. Empty for a guide without rows.
/// If the guide has no column for the device, `missing` says so.
[[nodiscard]] GuideComparison compare_with_guide(const Guide& guide, const InstructionTable& table);

/// "20 of 23 rows at 98 % or more; below: vote; another rate, explained: fp16, bit fields". Empty if nothing was
/// compared.
[[nodiscard]] std::string guide_summary(const GuideComparison& comparison);

/// The lines of one row, in the guide's order. Points into `comparison`.
struct GuideRowLines {
  std::string name;
  std::vector<const GuideLine*> lines;
};
[[nodiscard]] std::vector<GuideRowLines> guide_rows(const GuideComparison& comparison);

/// A line as text.
struct GuideCells {
  std::string documented;  ///< "64", "several", or empty if no cell is known
  std::string measured;    ///< "174.9", with the number of results if an instruction has several
  std::string interval;    ///< "167.6 - 207.2"
  std::string ratio;       ///< "0.683"
  std::string verdict;     ///< with the trick that kept the copies apart, if any
};
[[nodiscard]] GuideCells guide_cells(const GuideLine& line);

/// Sentences about a row: why an instruction counts twice, why its rate is not the hardware's, what is unconfirmed.
[[nodiscard]] std::string guide_note(const GuideRowLines& row);

}  // namespace warpclock
