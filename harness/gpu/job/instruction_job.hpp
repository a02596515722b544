#pragma once

#include <array>
#include <cstddef>
#include <set>
#include <string>
#include <vector>

#include "compose/copies/compile_instruction.hpp"
#include "gpu/job/job.hpp"
#include "gpu/job/samples.hpp"

namespace warpclock {

/// One series of an instruction's job: a trial, and the warps of its block. Each series has the trial's repeat counts.
struct Timing {
  std::size_t trial = 0;
  int warps = 1;

  bool operator==(const Timing&) const = default;
};

/// Whether an instruction accesses memory outside the SM. It is then timed on one SM, and all copies of a thread access
/// the same bytes in a launch.
[[nodiscard]] bool accesses_memory(const PtxInstruction& instruction);

/// The warps at which throughput is measured: one, one for each scheduler, and so on up to the maximum of a block.
[[nodiscard]] const std::vector<int>& grid_warps();

/// Timings of the verified trials: latencies with one warp, throughputs at those of grid_warps() for which the
/// registers suffice.
[[nodiscard]] std::vector<Timing> timings(const CompiledInstruction& compiled);

/// All timings of an instruction as one job. The observation's series are in the order of the timings, each with the
/// repeat counts of its trial.
[[nodiscard]] Job timing_job(const std::string& id, const PtxInstruction& instruction,
                             const CompiledInstruction& compiled, const std::vector<Timing>& timings);

/// The part of a job for these timings that times throughput at these numbers of warps, with several times the
/// launches.
[[nodiscard]] Job throughput_at(const Job& job, const CompiledInstruction& compiled, const std::vector<Timing>& timings,
                                const std::set<int>& warps);

/// The observation of the whole job, with the samples of that part replaced by those of the part's own job.
[[nodiscard]] Observation with_throughput(Observation whole, const Observation& part, const Job& part_job,
                                          const CompiledInstruction& compiled, const std::vector<Timing>& timings);

/// Two kernels of one window, the one with fewer copies first.
using KernelPair = std::array<JobKernel, 2>;

/// Those of a trial with the two largest repeat counts.
[[nodiscard]] KernelPair largest_pair(const Trial& trial);

/// A job that reads the counters of both kernels of each pair. Their difference is what the additional copies executed.
/// They are counted as pairs (see measure/counting.hpp) or each alone.
[[nodiscard]] Job counting_job(const std::string& id, const std::vector<KernelPair>& pairs,
                               const std::vector<std::string>& counters, bool as_pairs);

}  // namespace warpclock
