#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "base/error.hpp"
#include "base/terminal.hpp"
#include "cli/answers/asked_line.hpp"
#include "record/machine_record.hpp"

namespace warpclock {

/// The answer to a line about a machine instruction: its row, or why there is none.
struct MachineAnswer {
  AskedLine asked;
  Expected<MachineRow> row;
  std::string by;    ///< "H200, measured 2026-11-23"
  std::string from;  ///< the record that has it, or empty
};

/// "FFMA R1, R2, R3, R4: 4.00 cycles (H200, measured 2026-11-23)", and below it the row's numbers and where it is.
[[nodiscard]] std::string machine_text(const MachineAnswer& answer, const Style& style);
/// The same for programs: the row as machine.json has it.
[[nodiscard]] nlohmann::ordered_json machine_json(const MachineAnswer& answer);

}  // namespace warpclock
