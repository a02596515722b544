#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "gpu/job/job.hpp"
#include "gpu/job/samples.hpp"
#include "verify/instruction/study.hpp"

namespace warpclock {

/// One series of an instruction's job: which trial, at how many warps of one block. Each has the trial's repeat counts.
struct Timing {
  std::size_t trial = 0;
  int warps = 1;

  bool operator==(const Timing&) const = default;
};

/// Warps of the throughput grid: one, one for each scheduler, and on to the most that a block has.
[[nodiscard]] const std::vector<int>& grid_warps();

/// Verified trials only: latencies with one warp, throughputs over as many of grid_warps() as the registers allow.
[[nodiscard]] std::vector<Timing> timings(const Study& study);

/// All timings of an instruction as one job. The observation's series stand in the order of the timings, each with the
/// repeat counts of its trial.
[[nodiscard]] Job timing_job(const std::string& id, const PtxInstruction& instruction, const Study& study,
                             const std::vector<Timing>& timings);

/// Of a job for these timings the part that times throughput at so many warps, with several times the launches.
[[nodiscard]] Job throughput_at(const Job& job, const Study& study, const std::vector<Timing>& timings, int warps);

/// What the whole job gave, with the samples of that part in the place of its own.
[[nodiscard]] Observation with_throughput(Observation whole, const Observation& part, const Job& part_job,
                                          const Study& study, const std::vector<Timing>& timings);

/// Reads the counters of the two largest repeat counts of each trial, the smaller one first: they differ by what the
/// copies between them executed. As pairs (see measure/counted_pair.hpp) or each by itself.
[[nodiscard]] Job counting_job(const std::string& id, const std::vector<const Trial*>& trials,
                               const std::vector<std::string>& counters, bool as_pairs);

}  // namespace warpclock
