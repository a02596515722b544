#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>

#include "compose/copies/compile_instruction.hpp"
#include "record/instruction_record.hpp"

namespace warpclock {

/// The counters of a trial's two largest repeat counts, and the number of copies by which they differ.
struct CopyCounters {
  std::map<std::string, double> smaller, larger;  ///< by CUPTI name
  std::string missing;                            ///< why there are no counters
  double copies = 0;                              ///< additional copies x warps x passes
  std::optional<double> planned;                  ///< instructions that the larger executes in addition, by its code
  std::set<std::string> likely;                   ///< pipes of the instruction, if operands decide what is executed
  std::map<std::string, double> others;           ///< pipe -> instructions per copy that are not the instruction's own
};

/// By pipe, what the larger of a trial's two kernels executes in addition, without the instruction itself: the links
/// between its copies, and differences in the code around them. The numbers are per copy; `copies` is their number.
[[nodiscard]] std::map<std::string, double> other_pipes(const Trial& trial, const Expansion& expansion, double copies);

/// The pipes of an instruction's own opcodes.
[[nodiscard]] std::set<std::string> own_pipes(const Expansion& expansion);

/// Adds the pipes and the check of executed against planned instructions to those of earlier sets of counters.
void add_counters(const CopyCounters& counters, InstructionRecord& row);

}  // namespace warpclock
