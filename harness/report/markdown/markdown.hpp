#pragma once

#include <string>

#include "record/record.hpp"
#include "report/sections/page_place.hpp"

namespace warpclock {

/// report.md, for a code host: the GPU, the numbers of the memory system, each probe's question and answer in a line
/// with a link to its part of report.html, and the reasons for what is not published. Pure: the same record gives the
/// same bytes.
[[nodiscard]] std::string render_markdown(const Record& record, const PagePlace& place = {});

}  // namespace warpclock
