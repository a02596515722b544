#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>

#include "record/instruction_record.hpp"
#include "verify/instruction/study.hpp"

namespace warpclock {

/// The counters of a trial's two largest repeat counts, and how many copies apart they are.
struct CopyCounters {
  std::map<std::string, double> smaller, larger;  ///< by CUPTI name
  std::string missing;                            ///< why there are none
  double copies = 0;                              ///< further copies x warps x passes
  std::optional<double> planned;                  ///< instructions that the larger executes more, counted in the code
  std::set<std::string> likely;                   ///< pipes of the instruction, where operands decide what is executed
  std::map<std::string, double> others;           ///< pipe -> instructions a copy that are not the instruction's own
};

/// By pipe, what the larger of a trial's two kernels executes more and the instruction itself is not: what links its
/// copies, and what differs around them. For each of `copies`.
[[nodiscard]] std::map<std::string, double> other_pipes(const Trial& trial, const Expansion& expansion, double copies);

/// Pipes of an instruction's own opcodes.
[[nodiscard]] std::set<std::string> own_pipes(const Expansion& expansion);

/// Adds pipes and the check of executed against planned instructions to those of earlier sets of counters.
void add_counters(const CopyCounters& counters, InstructionRecord& row);

}  // namespace warpclock
