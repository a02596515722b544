#pragma once

#include <string>
#include <vector>

#include "base/error.hpp"
#include "compose/copies/compile_instruction.hpp"
#include "gpu/job/instruction_job.hpp"
#include "gpu/job/samples.hpp"
#include "record/instruction_record.hpp"
#include "record/machine_record.hpp"

namespace warpclock {

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
[[nodiscard]] InstructionRecord assemble_instruction(const InstructionName& name, const PtxInstruction& instruction,
                                                     const CompiledInstruction& compiled,
                                                     const std::vector<Timing>& timings,
                                                     const Expected<Observation>* observation,
                                                     const MachineRow* form = nullptr);

/// States the latencies of a row by state_fixed_latency(), and adds a finding where an encoded mean is outside the
/// interval. A row that was stated so before stays as it is.
void state_fixed_latencies(InstructionRecord& row);

}  // namespace warpclock
