#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "measure/case_table.hpp"
#include "plan/parameters.hpp"
#include "plan/probe.hpp"
#include "record/record.hpp"

namespace warpclock {

/// A further point of a curve that is worth measuring.
struct Refinement {
  std::string probe;
  Parameters point;  ///< all parameters of the case, in their order

  bool operator==(const Refinement&) const = default;
};

/// Points to measure inside the brackets of level ends that are known less precisely than the finds of a record request
/// (FeatureQuery::within), at most `most` in each. They are multiples of the largest factor that all values of the axis
/// share. Empty if everything is known well enough, or if no such point is left. Pure.
[[nodiscard]] std::vector<Refinement> refinements(const Record& record, std::size_t most);

/// Measures case `i` of the run. Other cases of the run have the same kernels.
using MeasureCase = std::function<Expected<Row>(std::size_t i)>;

/// Adds cases to a run, and their rows to its record, until the ends of levels are known as precisely as the
/// record's finds request, but at most in three rounds. New cases are inserted at their position in the curve. Errors:
/// those of `measure`.
[[nodiscard]] Expected<void> refine_curves(const Suite& suite, CaseTable& table, Record& record,
                                           const MeasureCase& measure);

}  // namespace warpclock
