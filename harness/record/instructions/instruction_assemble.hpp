#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "compose/copies/compile_instruction.hpp"
#include "gpu/job/instruction_job.hpp"
#include "gpu/job/samples.hpp"
#include "ptx/instruction.hpp"
#include "record/record.hpp"

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
void add_counters(const CopyCounters& counters, Row& row);

/// What identifies a row.
struct InstructionName {
  std::string id, family, ptx;
  std::string arch;
};

/// The row of an instruction. `timings` are those of the job and `observation` is its result. If that is null, because
/// the job was not run, the row is skipped and holds what is known without a GPU.
///
/// | what happened | outcome | stage | code |
/// |---|---|---|---|
/// | the architecture lacks it | skipped | plan | unsupported-arch |
/// | it did not compile | failed | compile | the error's |
/// | it becomes no instruction | skipped | verify | no-instruction |
/// | no window was verified | rejected | verify | the first trial's |
/// | the device or its worker gave up | failed | run | the error's |
/// | no series gave a number | rejected | analyze | the first problem's |
///
/// Of an instruction that is one machine instruction (CompiledInstruction::word), `form` has the numbers, and the
/// observation is of what ptxas makes of several copies. Without `form` the row is skipped.
[[nodiscard]] Row assemble_instruction(const InstructionName& name, const PtxInstruction& instruction,
                                       const CompiledInstruction& compiled, const std::vector<Timing>& timings,
                                       const Expected<Observation>* observation, const Row* form = nullptr);

/// States the latencies of a row by state_fixed_latency(), and adds a finding where an encoded mean is outside the
/// interval. A row that was stated so before stays as it is.
void state_fixed_latencies(Row& row);

/// Gives the row of a PTX instruction that becomes one machine instruction the numbers of that one's form:
/// `latency.<operand>` is that of the source operands that read it, the largest if there are several;
/// `encoded`, the fewest cycles that ptxas leaves, over all operands; `interval`, `throughput`, `issue`, `saturation`
/// and the curve, by the composed window of independent copies. A latency that the form does not have becomes a run
/// that says why. Outcome: measured, or that of the form with its reason.
void answer_by_form(Row& row, const PtxInstruction& instruction, const OneWord& word, const Row& form);

}  // namespace warpclock
