#pragma once

#include <nlohmann/json.hpp>

#include "base/terminal.hpp"
#include "measure/measure_instructions.hpp"

namespace warpclock {

/// The line, its original form if that differs from the canonical one, and operands that were replaced by a constant.
void print_asked(const Subject& subject, const Style& style);

/// What was measured, or, if nothing ran, what the machine code encodes; with `show` also its windows.
void print_answer(const MeasuredInstruction& found, const PtxInstruction& instruction, bool show, const Style& style);

[[nodiscard]] nlohmann::ordered_json json_of(const Subject& subject, const MeasuredInstruction& found);

/// Of an estimate, as `cycles --json` and records have it.
[[nodiscard]] nlohmann::ordered_json json_of(const Estimate& estimate);

}  // namespace warpclock
