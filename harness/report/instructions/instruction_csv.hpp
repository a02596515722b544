#pragma once

#include <string>

#include "record/instruction_record.hpp"

namespace warpclock {

/// RFC 4180, UTF-8, a header and one row an instruction. Cycles and rates have the record's digits, in the columns of
/// operands (`latency`, `encoded`) the first after the point; a column of several values separates them with blanks,
/// labels with "; ".
[[nodiscard]] std::string render_instruction_csv(const InstructionTable& table);

}  // namespace warpclock
