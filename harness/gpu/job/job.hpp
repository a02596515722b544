#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/elapsed.hpp"
#include "base/error.hpp"
#include "gpu/job/call.hpp"
#include "gpu/job/samples.hpp"
#include "plan/plan.hpp"

namespace warpclock {

/// CUtensorMap, which the driver encodes and the hardware reads.
struct alignas(64) TensorMap {
  std::array<std::uint64_t, 16> words{};

  bool operator==(const TensorMap&) const = default;
};

/// The only argument of every probe kernel. Its layout must match probes/probe.cuh byte for byte.
struct DeviceArgs {
  std::uint64_t clocks, data, data_bytes, facts, sink;
  std::uint32_t passes, zero;
  std::uint64_t at, texture, places;
  TensorMap tensor;
};
static_assert(sizeof(DeviceArgs) == 256 && offsetof(DeviceArgs, tensor) == 128);

constexpr int fact_slots = 16;

/// The fact that is the SM clock of the row: what a kernel measured while its window ran. Tensor cores lower the clock
/// as long as they run, so that readings before and after the launches do not show it.
constexpr const char* sm_mhz_fact = "sm_mhz";

struct JobKernel {
  std::int64_t n = 0;
  std::string symbol;
  std::int64_t warps = 0;           ///< if not 0, replaces the job's warps per block
  std::string cubin_path;           ///< if not empty, replaces the job's
  std::int64_t further_passes = 0;  ///< through the window, in addition to the warm-ups and the recorded one
  std::int64_t blocks_per_sm = 0;   ///< if not 0, replaces the job's blocks: this x SM count
  std::int64_t at = 0;              ///< added to the job's `at`
  bool steps = true;                ///< whether the job's `at_step` applies to it
  int launches = 0;                 ///< if not 0, replaces the job's, and none is discarded before them
  std::int64_t part = 0;            ///< of JobContents

  bool operator==(const JobKernel&) const = default;
};

/// For jobs whose results are what kernels leave in their data.
struct JobContents {
  std::string from;  ///< a file with parts of `data.bytes`: a kernel finds one in its data; empty: no such job
  std::string to;    ///< a file that gets what the kernels leave, one after another
  std::int64_t begin = 0, end = 0;  ///< of the data: the bytes that are kept
  std::int64_t constants = 0;  ///< of the data: the bytes that the kernel has in the place of its argument's tensor map

  bool operator==(const JobContents&) const = default;
};

/// Everything that a worker process needs to run one case. Sent as one JSON line.
struct Job {
  std::string id;
  std::string cubin_path;
  std::vector<JobKernel> kernels;  ///< each is timed; the observation has their series in this order
  Launch launch;
  Data data;
  std::int64_t at = 0;  ///< the value that the kernel gets as `args.at`
  std::vector<std::string> facts;
  Places places = Places::None;
  bool longest = false;               ///< whether samples have the cycles of the block that took longest
  bool energy = false;                ///< whether samples have the power of each round of launches
  std::vector<std::string> counters;  ///< CUPTI metric names; collected in separate launches after the timed ones
  /// Whether the launches of all kernels are queued in the stream together and read back together. Not for kernels
  /// whose data begin at a place that depends on the address of their clock readings: launch i of each repeat count
  /// would begin elsewhere, and that difference would enter a slope between repeat counts.
  bool at_once = false;
  /// Its modules are not needed again, so they are unloaded after it. The driver takes 0.5 ms to load a module if few
  /// are loaded, and 40 ms if 1,500 modules of 32 kernels are (seen on an H100).
  bool once = false;
  /// Launch i of every kernel gets `at` + i x this as its `args.at`. If memory decides the cost of an access, the
  /// result is then an average over the lines of many launches.
  std::int64_t at_step = 0;
  bool timed = true;  ///< false: only counters are read, of every kernel rather than only the largest
  /// Whether a counted launch runs under the conditions of a timed one: fresh data, preceded by either a sweep or a
  /// launch of the same kernel.
  bool prepared = true;
  /// For a job that is not timed: so many kernels, launched one after another, are counted as one. Each counted range
  /// costs the profiler 1.5 ms, whatever its content (seen on an H200).
  std::int64_t counted_together = 1;
  /// For a job that is not timed: more such jobs with the same counters, which are read in the same profiler session.
  /// Their results follow those of this job, in their order.
  std::vector<Job> counted_with;
  /// Each kernel is launched once, with these data, and its observation is empty.
  JobContents contents;
  /// A kernel with arguments of its own, in `cubin_path`. Such a job has no `kernels`, and its observation has no
  /// samples but times.
  Call call;
  /// If not empty, a file with PTX that the driver assembles. The cubin that it loads then is written to `cubin_path`.
  /// Such a job has no `kernels`, and its observation has no samples but times.
  std::string ptx_path;
};

/// Times rows one after another on a worker that always has the next jobs at hand: while the worker runs a job, the
/// answers to previous ones are processed here. Must be used from one thread.
class TimingLine {
 public:
  static constexpr std::size_t most_posted = 4;  ///< enough for a worker whose jobs differ in length

  /// The worker: Worker::post and Worker::take.
  struct Desk {
    std::function<void(const Job&)> post;
    std::function<Expected<Observation>()> take;
  };
  /// Called once for each answer, in the order of the jobs. It may return a second job for that row, which is queued
  /// after those already posted. For the answer to that job `again` is set.
  using Look =
      std::function<std::optional<Job>(std::size_t row, const Job& job, const Expected<Observation>& seen, bool again)>;

  TimingLine(Desk desk, Look look) : desk_(std::move(desk)), look_(std::move(look)) {}

  /// Waits if `most_posted` jobs are posted. Error "device-lost", after which nothing more can be done.
  [[nodiscard]] Expected<void> add(std::size_t row, Job job);
  /// Waits for all answers, including those of second jobs. Error "device-lost".
  [[nodiscard]] Expected<void> finish();

  [[nodiscard]] double busy_s() const { return busy_s_; }    ///< how long the worker was busy
  [[nodiscard]] double again_s() const { return again_s_; }  ///< how long it was busy with second jobs
  [[nodiscard]] std::size_t again() const { return again_; }

 private:
  struct Posted {
    std::size_t row = 0;
    Job job;
    bool again = false;
    Time::time_point at;
  };

  void post(std::size_t row, Job job, bool again);
  [[nodiscard]] Expected<void> take();

  Desk desk_;
  Look look_;
  std::deque<Posted> posted_;
  Time::time_point answered_;
  double busy_s_ = 0, again_s_ = 0;
  std::size_t again_ = 0;
};

}  // namespace warpclock
