#pragma once

#include <span>
#include <string>

#include "record/instruction_record.hpp"

namespace warpclock {

/// The head and the first screen of instructions.html's list, as its script would make them: they are painted before it
/// has run. `tables` are rounded.
[[nodiscard]] std::string first_rows(std::span<const InstructionTable> tables);

/// To four digits; empty for none.
[[nodiscard]] std::string shown_number(const Estimate* estimate);

}  // namespace warpclock
