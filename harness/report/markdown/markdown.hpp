#pragma once

#include <string>

#include "record/record.hpp"
#include "report/sections/page_place.hpp"

namespace warpclock {

/// report.md, for a code host: provenance, outcomes, headlines and findings, then a section for each family with a
/// table for each probe. It has every case of the record; a case without a number has its reason. Pure: the same record
/// gives the same bytes.
[[nodiscard]] std::string render_markdown(const Record& record, const PagePlace& place = {});

}  // namespace warpclock
