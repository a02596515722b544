#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "gpu/worker/worker.hpp"
#include "measure/counting.hpp"
#include "measure/measure_instructions.hpp"

namespace warpclock {

/// The pipe sets without the pipes that the chip lacks. It loads CUPTI, which takes a fifth of a second.
[[nodiscard]] std::vector<Pipes> available_pipe_sets(const std::string& chip);

/// Reads counters of measured instructions, and adds them to their rows.
class InstructionCounter {
 public:
  /// `sets`: from available_pipe_sets().
  InstructionCounter(Worker& worker, std::vector<Pipes> sets) : worker_(worker), sets_(std::move(sets)) {}

  /// Reads one counter set after another for each measured row, the likely sets first, until they account for all
  /// executed instructions. Error "device-lost".
  [[nodiscard]] Expected<void> count(const std::vector<MeasuredInstruction*>& measured);

 private:
  /// A row whose counters are to be read, and the trial that is run for it.
  struct Row {
    MeasuredInstruction* measured;
    const Trial* trial;
    Pipes likely, read;
    bool separable = true;  ///< whether its two kernels can be separated when they are counted as one
  };
  using Group = std::vector<Row*>;

  Expected<void> count_inseparable(std::vector<Row>& rows);
  Expected<void> count_all(const Group& all, const std::vector<std::string>& names, bool as_pairs);
  Expected<void> count_group(const Group& group, const std::vector<std::string>& names, bool as_pairs,
                             std::size_t size);

  Worker& worker_;
  std::vector<Pipes> sets_;
};

}  // namespace warpclock
