#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "ptx/line.hpp"
#include "ptx/opcodes.hpp"

namespace warpclock {

/// An operand of a line and its entry in the table.
struct Match {
  Slot slot;
  const PtxTerm* term = nullptr;
};

/// Whether one of the words, which '|' separates, is among the modifiers.
[[nodiscard]] bool fits(std::string_view words, const std::vector<std::string>& modifiers);

/// "line:column" of the line's opcode, or of the modifier with this index.
[[nodiscard]] std::string place_of(const PtxLine& line);
[[nodiscard]] std::string place_of(const PtxLine& line, std::size_t modifier);
[[nodiscard]] std::string place_of(const PtxTerm& term);

/// The first row of the opcode whose conditions hold. Errors: those of describe(), including "ptx-unsupported".
[[nodiscard]] Expected<const OpcodeRow*> choose_row(const PtxLine& line, const OpcodeTable& table);

/// Assigns every operand of the line to its slot. If optional operands are missing, these are the last ones.
[[nodiscard]] Expected<std::vector<Match>> match_operands(const PtxLine& line, const OpcodeRow& row);

}  // namespace warpclock
