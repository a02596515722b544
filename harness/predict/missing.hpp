#pragma once

#include <map>
#include <string>
#include <vector>

#include "inspect/load.hpp"
#include "predict/kernel_loops.hpp"
#include "predict/launch_placement.hpp"
#include "predict/memory/access_pattern.hpp"
#include "predict/prediction.hpp"
#include "predict/simulation/run.hpp"

namespace warpclock {

/// "0x09a0, gemm.cu:7": where an instruction is, with its source line if the cubin has one.
[[nodiscard]] std::string place_of(const LoadedKernel& kernel, std::size_t index);

/// "LDG.E at 0x09a0, gemm.cu:7, 2 more"
[[nodiscard]] std::string places_of(const LoadedKernel& kernel, const std::vector<std::size_t>& indices);

/// What is judged: a kernel, its loops, and its simulation from the instruction `first` on.
struct Judged {
  const LoadedKernel& kernel;
  const std::vector<KernelLoop>& loops;
  const Runs& runs;
  const std::map<std::size_t, AccessPattern>& executed;  ///< accesses whose addresses are known
  std::size_t first = 0;
};

/// Loops that were entered although nobody said their trips, and those that are left in a way that is not followed.
[[nodiscard]] std::vector<MissingNumber> missing_trips(const Judged& judged);

/// Whether the simulation came to the instruction.
[[nodiscard]] bool was_issued(const Judged& judged, std::size_t index);

/// What shows that the path of the simulation is not that of the kernel: loops with trips that were never entered, or
/// without any that were; instructions that are not simulated; a resource that is used for more than all of the time.
[[nodiscard]] std::vector<MissingNumber> wrong_path(const Judged& judged, const std::vector<LowerBound>& bounds);

/// The loops with trips that the simulation never reached, by id.
[[nodiscard]] std::vector<int> never_entered(const Judged& judged);

/// Whether the simulation issues what the counts say, within 5 %. `runs` are those of the blocks that an SM holds at
/// once.
[[nodiscard]] std::vector<MissingNumber> unlike_counts(const ExecutedCounts& counts, const Runs& runs,
                                                       const LaunchPlacement& launch);

/// Takes away what would be read as an answer, of a prediction that has none.
void silence(Prediction& prediction);

}  // namespace warpclock
