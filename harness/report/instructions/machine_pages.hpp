#pragma once

#include <string>

#include "record/machine_record.hpp"
#include "report/sections/page_place.hpp"

namespace warpclock {

/// machine.html: a page with one large table (table_page.hpp). Pure: the same table gives the same bytes.
[[nodiscard]] std::string render_machine_html(const MachineTable& table, const PagePlace& place = {});

/// machine.md. Pure: the same table gives the same bytes.
[[nodiscard]] std::string render_machine_markdown(const MachineTable& table);

}  // namespace warpclock
