#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "compose/copies/compile_instruction.hpp"
#include "gpu/worker/worker.hpp"
#include "plan/arch.hpp"
#include "plan/probe.hpp"
#include "ptx/describe.hpp"
#include "ptx/experiment/ways.hpp"
#include "record/instruction_record.hpp"
#include "record/instructions/instruction_assemble.hpp"

namespace warpclock {

/// An instruction to compile and measure.
struct Subject {
  std::string id, family, ptx;
  PtxInstruction instruction;
  Needs needs;                          ///< architectures that have it
  std::vector<Way> ways;                ///< paths through a block
  std::vector<MadeConstant> constants;  ///< operands that are measured only with one constant value
};

struct MeasuredInstruction {
  InstructionRecord record;
  std::optional<MachineRow> form;  ///< the row that answers for what is one machine instruction
  CompiledInstruction compiled;    ///< without the trials' machine code unless requested
};

struct InstructionOptions {
  Arch arch;
  CompileInstructionOptions compile;
  bool keep_code = false;  ///< keep the listings
  /// Gives the worker, and is called once, after the first compilations have begun; its error ends the measurement.
  /// Empty: nothing is run.
  std::function<Expected<Worker*>()> worker;
  /// Gives a row for each of these forms, in their order, by measuring them on that worker; called from the calling
  /// thread. Empty: instructions that are one machine instruction are measured as all others are.
  std::function<Expected<std::vector<MachineRow>>(Worker&, const std::vector<WordForm>&)> forms;
  bool counters = true;
  std::function<void(std::size_t done, std::size_t total)> progress;  ///< called from the calling thread
};

/// How the time was spent. Compiling overlaps with the others; timing and counting alternate.
struct InstructionTimes {
  double compiling_s = 0;   ///< from the start until the last instruction was verified
  double timing_s = 0;      ///< while the worker had a row to time
  double again_s = 0;       ///< part of timing_s: repeating rows whose launches differed, with more launches
  std::size_t again = 0;    ///< number of such rows
  double assembling_s = 0;  ///< turning the worker's results into rows
  double counting_s = 0;
};

/// Compiles every subject, and runs it as soon as it is verified, while others are still being compiled. Counters are
/// read when the worker would wait for the compiler, and the rest at the end. Must be called from the thread that
/// started the worker. Rows are in the order of the subjects. Error "device-lost", or that of `how.worker`.
[[nodiscard]] Expected<std::vector<MeasuredInstruction>> measure_instructions(const std::vector<Subject>& subjects,
                                                                              const InstructionOptions& how,
                                                                              InstructionTimes* times = nullptr);

}  // namespace warpclock
