#pragma once

#include "record/instruction_record.hpp"
#include "record/machine_record.hpp"
#include "record/record.hpp"

namespace warpclock {

/// The rows of a table as those of a result without probes. The window of a PTX instruction has the opcodes that it
/// became, each once, and a hash of its forms and of all windows.
[[nodiscard]] Record as_record(const InstructionTable& table);
/// A form that has numbers is measured, and one with a reason rejected.
[[nodiscard]] Record as_record(const MachineTable& table);
[[nodiscard]] inline const Record& as_record(const Record& record) { return record; }

}  // namespace warpclock
