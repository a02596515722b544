#pragma once

#include <string>

#include "record/instruction_record.hpp"

namespace warpclock {

/// A table a family: latency from each operand, results per clock and SM, interval, pipe, SASS; then what was not
/// measured with its reasons, what was held against the guide, and the findings.
[[nodiscard]] std::string render_instruction_markdown(const InstructionTable& table);

}  // namespace warpclock
