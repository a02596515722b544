#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "plan/case.hpp"

namespace warpclock {

struct JobKernel {
  std::int64_t n = 0;
  std::string symbol;
  std::int64_t warps = 0;           ///< when not 0, warps per block in the place of the job's
  std::string cubin_path;           ///< when not empty, in the place of the job's
  std::int64_t further_passes = 0;  ///< through the window, beside the launch's warm-ups and the recorded one
  std::int64_t blocks_per_sm = 0;   ///< when not 0, blocks in the place of the job's: this x SM count
  std::int64_t at = 0;              ///< added to the job's
  bool steps = true;                ///< whether the job's `at_step` is for it, too

  bool operator==(const JobKernel&) const = default;
};

/// All that a worker process needs to run one case. Travels as one JSON line.
struct Job {
  std::string id;
  std::string cubin_path;
  std::vector<JobKernel> kernels;  ///< each is timed; the observation has their series in this order
  Launch launch;
  Data data;
  std::int64_t at = 0;  ///< what the kernel gets as `args.at`
  std::vector<std::string> facts;
  Places places = Places::None;
  std::vector<std::string> counters;  ///< CUPTI metric names; collected in launches of their own after the timed ones
  /// Whether the launches of all kernels stand in the stream one behind the other and are read back together. Not for
  /// kernels whose data begin where the place of their clock readings says: launch i of each repeat count would begin
  /// elsewhere, and a slope between repeat counts would have that difference in it.
  bool at_once = false;
  /// Nobody asks for its modules again, and they are unloaded behind it: to load one takes the driver 0.5 ms where few
  /// are loaded and 40 ms behind 1,500 of 32 kernels (seen on an H100).
  bool once = false;
  /// Launch i of every kernel gets `at` + i x this as its `args.at`: where memory decides what an access costs, the
  /// lines of many launches make one number.
  std::int64_t at_step = 0;
  bool timed = true;  ///< false: counters only, of every kernel and not of the largest alone
  /// Whether a counted launch finds what a timed one finds: fresh data, and either a sweep or the same kernel before
  /// it.
  bool prepared = true;
  /// Of a job that is not timed: so many kernels, one launched behind the other, are counted as one. What is counted
  /// takes the profiler a millisecond and a half, whatever it is (seen on an H200).
  std::int64_t counted_together = 1;
  /// Of a job that is not timed: more such jobs, whose counters are the same and are read in one session of the
  /// profiler with its own. What they counted stands behind what it counted, in their order.
  std::vector<Job> beside;
};

}  // namespace warpclock
