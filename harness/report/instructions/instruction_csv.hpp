#pragma once

#include <string>

#include "record/instruction_record.hpp"

namespace warpclock {

/// RFC 4180, UTF-8, with a header and one row for each instruction. Cycles and rates have the record's digits; the
/// columns of operands (`latency`, `encoded`) have one decimal. A column of several values separates them with blanks,
/// labels with "; ".
[[nodiscard]] std::string render_instruction_csv(const InstructionTable& table);

}  // namespace warpclock
