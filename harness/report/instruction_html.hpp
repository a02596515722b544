#pragma once

#include <span>
#include <string>

#include "report/instruction_record.hpp"

namespace warpclock {

/// instructions.html: one self-contained page of one table, or of several GPUs side by side; no request to anywhere.
/// The texts of instructions.json are in it, deflated and in base64, and its script shows them; without JavaScript it
/// is a plain table. Pure: the same tables give the same bytes. The markup is well-formed XML but for its one style and
/// last script.
[[nodiscard]] std::string render_instruction_html(std::span<const InstructionTable> tables);

}  // namespace warpclock
