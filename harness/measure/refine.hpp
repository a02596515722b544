#pragma once

#include <functional>

#include "base/error.hpp"
#include "measure/case_table.hpp"
#include "plan/probe.hpp"
#include "record/record.hpp"

namespace warpclock {

/// Measures case `i` of the run. Other cases of the run have the same kernels.
using MeasureCase = std::function<Expected<CaseRecord>(std::size_t i)>;

/// Adds cases to a run, and their rows to its record, until the ends of levels are known as precisely as the
/// record's finds request, but at most in three rounds. New cases are inserted at their position in the curve. Errors:
/// those of `measure`.
[[nodiscard]] Expected<void> refine_curves(const Suite& suite, CaseTable& table, Record& record,
                                           const MeasureCase& measure);

}  // namespace warpclock
