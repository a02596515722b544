#pragma once

#include <map>
#include <string>

#include "record/instruction_record.hpp"
#include "record/kernel_record.hpp"
#include "record/machine_record.hpp"
#include "record/record.hpp"

namespace warpclock {

/// reports/README.md: every GPU that was measured, with links into its folder. index.html compares them.
/// The arguments are keyed by folder name. If there are several tables of instructions, instructions.html shows them
/// side by side.
[[nodiscard]] std::string render_gallery(const std::map<std::string, Record>& records,
                                         const std::map<std::string, InstructionTable>& tables = {},
                                         const std::map<std::string, MachineTable>& machines = {},
                                         const std::map<std::string, KernelTable>& kernels = {});

}  // namespace warpclock
