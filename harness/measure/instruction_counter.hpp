#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "gpu/job/instruction_job.hpp"
#include "gpu/worker/worker.hpp"
#include "measure/counting.hpp"
#include "measure/measure_instructions.hpp"
#include "record/instructions/instruction_pipes.hpp"

namespace warpclock {

/// The pipe sets without the pipes that the chip lacks. It loads CUPTI, which takes a fifth of a second.
[[nodiscard]] std::vector<Pipes> available_pipe_sets(const std::string& chip);

/// Code whose counters are to be read.
struct CountedCode {
  InstructionRecord* row = nullptr;  ///< gets the counters and the pipes; its id names the job
  KernelPair kernels;
  Pipes likely;         ///< pipes that an additional copy probably uses
  CopyCounters copies;  ///< what is known about the difference of the kernels
  /// Words of the larger kernel stand where the smaller one has no-operations, so that both execute as many
  /// instructions.
  bool fills_room = false;
  Pipes read = {};
  bool separable = true;  ///< whether its two kernels can be separated when they are counted as one
};

/// Reads counters, and adds them to rows.
class InstructionCounter {
 public:
  /// `sets`: from available_pipe_sets().
  InstructionCounter(Worker& worker, std::vector<Pipes> sets) : worker_(worker), sets_(std::move(sets)) {}

  /// Reads one counter set after another for each code, the likely sets first, until they account for all executed
  /// instructions. Error "device-lost".
  [[nodiscard]] Expected<void> count(std::vector<CountedCode> all);

  /// The same for the trials of measured instructions that show most.
  [[nodiscard]] Expected<void> count(const std::vector<MeasuredInstruction*>& measured);

 private:
  using Group = std::vector<CountedCode*>;

  Expected<void> count_inseparable(std::vector<CountedCode>& all);
  Expected<void> count_all(const Group& all, const std::vector<std::string>& names, bool as_pairs);
  Expected<void> count_group(const Group& group, const std::vector<std::string>& names, bool as_pairs,
                             std::size_t size);

  Worker& worker_;
  std::vector<Pipes> sets_;
};

}  // namespace warpclock
