#pragma once

#include <map>
#include <string>

#include "record/instruction_record.hpp"
#include "record/machine_record.hpp"
#include "record/record.hpp"

namespace warpclock {

/// reports/README.md: every GPU that was measured, with links into its folder, and the headline numbers side by side.
/// All by the name of their folder; with several tables of instructions, instructions.html has them side by side.
[[nodiscard]] std::string render_gallery(const std::map<std::string, Record>& records,
                                         const std::map<std::string, InstructionTable>& tables = {},
                                         const std::map<std::string, MachineTable>& machines = {});

}  // namespace warpclock
