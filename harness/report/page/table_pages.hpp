#pragma once

#include <span>
#include <string>

#include "base/json/json_text.hpp"
#include "record/instruction_record.hpp"
#include "record/machine_record.hpp"
#include "report/sections/page_place.hpp"

namespace warpclock {

/// instructions.html, for one table or for several GPUs side by side. Pure: the same tables give the same bytes.
[[nodiscard]] std::string render_instruction_html(std::span<const InstructionTable> tables,
                                                  const PagePlace& place = {});

/// machine.html. Pure: the same table gives the same bytes.
[[nodiscard]] std::string render_machine_html(const MachineTable& table, const PagePlace& place = {});

/// What a page says of a table that is not in its record: names, counts, the comparison with the guide, and for each
/// row its cells as text, its labels and the window of its rate. `table` must be rounded.
[[nodiscard]] Json instruction_words(const InstructionTable& table);

/// The same: for each row its latencies and its interval, or why it has no number; and counts.
[[nodiscard]] Json machine_words(const MachineTable& table);

}  // namespace warpclock
