#pragma once

#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "compose/copies/compile_instruction.hpp"
#include "gpu/counters/counters.hpp"
#include "gpu/job/instruction_job.hpp"
#include "gpu/worker/worker.hpp"
#include "measure/measure_instructions.hpp"
#include "record/instructions/instruction_assemble.hpp"

namespace warpclock {

using Pipes = std::set<std::string>;  ///< CUPTI's names: "alu", "xu"

/// Pipes whose instructions one pass of the profiler counts in addition to all executed ones. Every pipe is in one of
/// the sets, and common combinations are in a second set. The order is that of reading, because switching between sets
/// costs the profiler a fifth of a second.
[[nodiscard]] const std::vector<Pipes>& pipe_sets();

/// Whether the counters of single SMs separate two kernels for all pipes of the set.
[[nodiscard]] bool separable_by_sm(const Pipes& set);

inline constexpr const char* executed_metric = "smsp__inst_executed.sum";

/// The metrics to read for a set: all executed instructions, and those of each pipe.
[[nodiscard]] std::vector<std::string> metrics_of(const Pipes& set);

/// The pipes that an additional copy in a trial's window is likely to use.
[[nodiscard]] Pipes likely_pipes(const Trial& trial);

/// Index of the next of `sets` to read: the one with the most likely pipes that have not been read yet, or, if there is
/// none, the one with the most other unread pipes. The first of equals. Nothing if all were read.
[[nodiscard]] std::optional<std::size_t> next_set(const std::vector<Pipes>& sets, const Pipes& likely,
                                                  const Pipes& read);

/// Two kernels that are counted as one, because the cost of counting does not depend on what is counted. The larger
/// kernel runs on every SM and the smaller on one of them. Each counter then has two unknowns and three equations:
///
///   minimum over SMs = larger,  maximum over SMs = larger + smaller,  sum = SMs x larger + smaller
struct CountedPair {
  CounterValues smaller, larger;  ///< under the requested names

  bool operator==(const CountedPair&) const = default;
};

/// The CUPTI metrics to collect for metrics like "smsp__inst_executed.sum": each metric, and its minimum and maximum
/// over SMs.
[[nodiscard]] std::vector<std::string> pair_metrics(const std::vector<std::string>& sums);

/// Solves the equations. Nothing if they disagree, because the blocks were distributed differently or executed other
/// instructions on another SM. A metric without a value is missing from both.
[[nodiscard]] std::optional<CountedPair> separate_pair(const CounterValues& values,
                                                       const std::vector<std::string>& sums, int sms);

/// The trial whose counters show most: one without interposed instructions if there is one.
[[nodiscard]] const Trial* counted_trial(const CompiledInstruction& compiled);

/// Instructions that a warp executes in the largest kernel in addition to those in the next smaller one.
[[nodiscard]] std::optional<double> planned(const Trial& trial);

/// The number of copies that it executes in addition, in a launch with `passes` passes.
[[nodiscard]] double further_copies(const Trial& trial, int passes);

/// The pipe sets without the pipes that the chip lacks. It loads CUPTI, which takes a fifth of a second.
[[nodiscard]] std::vector<Pipes> available_pipe_sets(const std::string& chip);

/// Code whose counters are to be read.
struct CountedCode {
  Row* row = nullptr;  ///< gets the counters and the pipes; its id names the job
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
