#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "base/elapsed.hpp"
#include "base/error.hpp"
#include "compose/copies/compile_instruction.hpp"
#include "gpu/worker/worker.hpp"
#include "plan/arch.hpp"
#include "plan/probe.hpp"
#include "ptx/describe.hpp"
#include "ptx/experiment/ways.hpp"
#include "record/instructions/instruction_assemble.hpp"
#include "record/record.hpp"

namespace warpclock {

/// The numbers of warps at which a throughput should be measured again with more launches: it is not known to half a
/// percent, or another number of warps has a higher rate, and launches differ there by more than a thousandth. More
/// launches of the same time would leave what is not known: how far apart the warps begin. Another process would get
/// another rate, or take it at another of these numbers.
[[nodiscard]] std::set<int> scattering_warps(const Row& row);

/// An instruction to compile and measure.
struct Subject {
  std::string id, family, ptx;
  PtxInstruction instruction;
  Needs needs;                          ///< architectures that have it
  std::vector<Way> ways;                ///< paths through a block
  std::vector<MadeConstant> constants;  ///< operands that are measured only with one constant value
};

struct MeasuredInstruction {
  Row record;
  std::optional<Row> form;       ///< the row that answers for what is one machine instruction
  CompiledInstruction compiled;  ///< without the trials' machine code unless requested
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
  std::function<Expected<std::vector<Row>>(Worker&, const std::vector<WordForm>&)> forms;
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

/// Compiles and verifies subjects on threads of its own, in parts, which are taken as they are done.
class CompileQueue {
 public:
  CompileQueue(const std::vector<Subject>& subjects, const InstructionOptions& how);
  CompileQueue(const CompileQueue&) = delete;
  CompileQueue& operator=(const CompileQueue&) = delete;
  ~CompileQueue();

  struct Part {
    std::vector<std::size_t> subjects;
    std::vector<CompiledInstruction> compiled;
    Time::time_point done;
  };

  /// Whether next() returns without waiting.
  [[nodiscard]] bool ready();
  [[nodiscard]] Part next();

 private:
  /// The next subjects in order; none if all are taken.
  std::vector<std::size_t> take();
  /// Each of them, or why none could be compiled.
  [[nodiscard]] std::vector<CompiledInstruction> compiled_or_why(const std::vector<const PtxInstruction*>& had) const;
  void work();

  const std::vector<Subject>& subjects_;
  const InstructionOptions& how_;
  CompileInstructionOptions options_;
  std::mutex mutex_;
  /// Subjects not yet taken. Neighbours belong to one family, and some families take the compiler ten times as long as
  /// others. So the order is strided, and each part gets subjects of all families.
  std::deque<std::size_t> order_;
  std::size_t together_ = 0;  ///< size of the part taken last
  std::condition_variable changed_;
  std::deque<Part> done_;
  std::vector<std::thread> threads_;
};

}  // namespace warpclock
