#pragma once

#include "base/json/json_text.hpp"
#include "record/instruction_record.hpp"
#include "record/machine_record.hpp"

namespace warpclock {

/// What a page says of a table that is not in its record: names, counts, the comparison with the guide, and for each
/// row its cells as text, its labels and the window of its rate; and which numbers are no comparison with those of
/// `first`, the first table of the page. Both must be rounded.
[[nodiscard]] Json instruction_words(const InstructionTable& table, const InstructionTable& first);

/// The same: for each row its latencies and its interval, or why it has no number; and counts.
[[nodiscard]] Json machine_words(const MachineTable& table);

/// What a page carries of a record: without the cells of relations that no table of it shows.
[[nodiscard]] MachineTable shown_part(MachineTable table);

}  // namespace warpclock
