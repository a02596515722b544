#pragma once

#include <string>

#include "record/instruction_record.hpp"

namespace warpclock {

/// A table for each family: latency from each operand, results per clock and SM, interval, pipe, SASS. Then what was
/// not measured, with the reasons, the comparison with the guide, and the findings.
[[nodiscard]] std::string render_instruction_markdown(const InstructionTable& table);

}  // namespace warpclock
