#pragma once

#include <span>
#include <string>

#include "record/instruction_record.hpp"

namespace warpclock {

/// A folded section for each table that was compared with the guide: its rows, the measurements, the ratio.
[[nodiscard]] std::string html_guide(std::span<const InstructionTable> tables);

}  // namespace warpclock
