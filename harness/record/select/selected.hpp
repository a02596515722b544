#pragma once

#include <string>
#include <vector>

#include "record/record.hpp"
#include "record/select/selector.hpp"

namespace warpclock {

/// One of the numbers that a selector means.
struct Selected {
  double value = 0, low = 0, high = 0;
  std::string unit;                      ///< empty for a position on an axis that is not in bytes
  std::string name;                      ///< the id of its case, or the name of the feature
  SmClock clock;                         ///< measured around its cases: their median, and the lowest and the highest
  std::vector<const CaseRecord*> cases;  ///< of a level those in it; of another feature those of its curve
};

/// Whether a row is of the selector's probe, parameters and, if it is measured, counters. `bound` are parameters with
/// one value each.
[[nodiscard]] bool means(const Selector& selector, const CaseRecord& row, const DeviceFacts& device,
                         const Parameters& bound = {});

/// The measured cases with a verified window that a selector means, in the record's order; of a feature, those of its
/// probe and parameters.
[[nodiscard]] std::vector<const CaseRecord*> cases_at(const Record& record, const Selector& selector,
                                                      const Parameters& bound = {});

/// The numbers of a selector of cases, of half of them, of features or of clocks, before one of several is taken.
[[nodiscard]] std::vector<Selected> selected(const Record& record, const Selector& selector,
                                             const Parameters& bound = {});

/// The one that is taken of at least one. The highest is the one with the highest lower bound, because the highest
/// value of many is biased upwards.
[[nodiscard]] const Selected& taken(const std::vector<Selected>& all, bool highest);

/// The cases of `rows` that a feature follows from: those of a level, or those between which something ends; else its
/// curve.
[[nodiscard]] std::vector<const CaseRecord*> cases_of(const Feature& feature,
                                                      const std::vector<const CaseRecord*>& rows);

/// The median of the clocks around these cases, with the lowest and the highest; of cases without a clock 0.
[[nodiscard]] SmClock clock_of(const std::vector<const CaseRecord*>& rows);

}  // namespace warpclock
