#pragma once

#include <span>
#include <string>

#include "record/instruction_record.hpp"

namespace warpclock {

/// The head and the first screen of the list in instructions.html, as its script would make them. They are painted
/// before the script has run. `tables` must be rounded.
[[nodiscard]] std::string first_rows(std::span<const InstructionTable> tables);

/// The value with four digits; empty for no estimate.
[[nodiscard]] std::string shown_number(const Estimate* estimate);

}  // namespace warpclock
