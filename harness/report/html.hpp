#pragma once

#include <string>

#include "report/record.hpp"

namespace warpclock {

/// report.html: one self-contained page, no request to anywhere, readable without JavaScript. Pure: the same record
/// gives the same bytes. The markup is also well-formed XML, but for the content of its one script and one style
/// element.
/// `instructions`: whether instructions.html stands beside it, to be linked to.
[[nodiscard]] std::string render_html(const Record& record, bool instructions = false);

}  // namespace warpclock
