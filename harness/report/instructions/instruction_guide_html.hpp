#pragma once

#include <span>
#include <string>

#include "record/instruction_record.hpp"

namespace warpclock {

/// A folded section for each table that was held against the guide: its rows, what was measured, the ratio.
[[nodiscard]] std::string html_guide(std::span<const InstructionTable> tables);

}  // namespace warpclock
