#pragma once

#include <string>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "model/machine.hpp"
#include "record/instruction_record.hpp"
#include "record/machine_record.hpp"
#include "record/record.hpp"

namespace warpclock {

/// The records of one GPU by their file below its folder: "result.json", "kernels/result.json". Null if there is none.
struct GpuRecords {
  std::string folder;  ///< "nvidia-h200"
  std::vector<std::pair<std::string, const Record*>> results;
  const InstructionTable* instructions = nullptr;
  const MachineTable* machine = nullptr;
};

/// What verified rows have of the model; of several records, the first that has a number. Error "config" if more rows
/// fit a place than it means, at the place of the entry. Pure.
[[nodiscard]] Expected<Machine> make_machine(const ModelConfig& config, const GpuRecords& records);

/// The names of the leaves that a rule asks for.
[[nodiscard]] std::vector<std::string> names_of(const LeafRule& rule);

}  // namespace warpclock
