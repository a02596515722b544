#pragma once

#include <string>

#include "record/page_place.hpp"
#include "record/record.hpp"

namespace warpclock {

/// report.html: one self-contained page, no request to anywhere, readable without JavaScript. Pure: the same record
/// gives the same bytes. The markup is also well-formed XML, but for the content of its one script and one style
/// element.
[[nodiscard]] std::string render_html(const Record& record, const PagePlace& place = {});

}  // namespace warpclock
