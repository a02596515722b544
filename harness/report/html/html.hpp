#pragma once

#include <string>

#include "record/record.hpp"
#include "report/sections/page_place.hpp"

namespace warpclock {

/// report.html: one self-contained page that makes no requests and is readable without JavaScript. Pure: the same
/// record gives the same bytes. The markup is also well-formed XML, except for the content of its script and style
/// element.
[[nodiscard]] std::string render_html(const Record& record, const PagePlace& place = {});

}  // namespace warpclock
