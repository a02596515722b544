#pragma once

#include <functional>

#include "base/error.hpp"
#include "measure/campaign.hpp"
#include "plan/probe.hpp"
#include "record/record.hpp"

namespace warpclock {

/// Measures case `i` of the campaign, whose kernels other cases of it have.
using MeasureCase = std::function<Expected<CaseRecord>(std::size_t i)>;

/// Adds cases to a campaign, and their rows to its record, until the ends of levels are known as well as the record's
/// finds ask for, or three times. A new case stands where its curve has it. Errors: those of `measure`.
[[nodiscard]] Expected<void> refine_curves(const Suite& suite, Campaign& campaign, Record& record,
                                           const MeasureCase& measure);

}  // namespace warpclock
