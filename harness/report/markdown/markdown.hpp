#pragma once

#include <string>

#include "record/page_place.hpp"
#include "record/record.hpp"

namespace warpclock {

/// report.md, for a code host: provenance, outcomes, headlines, findings, then a section a family with a table a probe.
/// Every case of the record is in it; one without a number has its reason. Pure: the same record gives the same bytes.
[[nodiscard]] std::string render_markdown(const Record& record, const PagePlace& place = {});

}  // namespace warpclock
