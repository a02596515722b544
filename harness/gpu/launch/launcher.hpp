#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "gpu/device/driver.hpp"
#include "gpu/device/memory.hpp"
#include "gpu/job/job.hpp"
#include "plan/plan.hpp"

namespace warpclock {

/// The launch limits of a device and of one kernel on it.
struct ShapeLimits {
  std::int64_t sms = 0;
  std::int64_t threads_per_block = 0;  ///< for this kernel: its registers may allow fewer than the device does
  std::int64_t shared_per_block = 0;   ///< the device's opt-in maximum
  std::int64_t static_shared = 0;      ///< static shared memory of this kernel, in bytes
  std::int64_t blocks = 2147483647;    ///< grid dimension x (CUDA Programming Guide, "Technical Specifications")
  std::int64_t cluster = 1;            ///< 16 if the device has clusters, else 1
};

struct Shape {
  unsigned blocks = 1, threads = 32, cluster = 1, shared_bytes = 0;

  [[nodiscard]] std::int64_t warps() const { return threads / 32; }
  /// Each warp stores both of its clock readings.
  [[nodiscard]] std::int64_t clock_words() const { return blocks * warps() * 2; }
  [[nodiscard]] std::int64_t clock_bytes() const { return clock_words() * 8; }
};

/// The launch with the device's SM count filled in. Error "launch" names the limit that it exceeds.
[[nodiscard]] Expected<Shape> resolve_shape(const Launch& launch, const ShapeLimits& limits);

/// "132 blocks of 256 threads, clusters of 2, 49152 B of dynamic shared memory".
[[nodiscard]] std::string to_string(const Shape& shape);

/// A kernel that is ready to be launched.
struct ReadyKernel {
  std::int64_t n = 0;
  CUfunction function = nullptr;
  Shape shape;
  std::int64_t carveout = 0;
  std::int64_t further_passes = 0;
  std::int64_t at = 0, at_step = 0;  ///< the value of `args.at`: launch i gets at + i x at_step
  int launches = 0, discarded = 1;   ///< recorded ones, and ones before them
  std::int64_t part = 0;             ///< of JobContents
};

/// Loads the kernels of jobs, checks their shapes against the device's limits, and sets the attributes of functions.
class KernelLoader {
 public:
  KernelLoader(const Driver& driver, CUdevice device, int sms);

  /// Errors: "launch", "io", "cuda", "fault".
  [[nodiscard]] Expected<std::vector<ReadyKernel>> load(const Job& job);

  /// Unloads the modules of a finished job. Error "fault".
  [[nodiscard]] Expected<void> unload(const Job& job);

  /// Done before each launch, because cases that differ only in their launch share a kernel. Error "launch".
  [[nodiscard]] Expected<void> configure(const ReadyKernel& kernel);

 private:
  /// Attributes that a launch needs set on its function.
  struct Configuration {
    std::int64_t shared_bytes = 0, carveout = 0;
    bool large_cluster = false;

    bool operator==(const Configuration&) const = default;
  };

  [[nodiscard]] Expected<ShapeLimits> limits(CUfunction function) const;

  const Driver& driver_;
  CUdevice device_;
  int sms_;
  ModuleCache modules_;
  std::map<CUfunction, Configuration> configured_;
};

/// A refused launch is due to its shape, whereas a sticky error is due to an earlier launch.
[[nodiscard]] Expected<void> about_shape(Expected<void> done);

/// Consecutive launches of one kernel.
struct BatchPlan {
  const ReadyKernel* kernel = nullptr;
  int recorded = 0;
  int before = 0;   ///< launches recorded in the kernel's earlier plans
  int settles = 0;  ///< number of lines that it settles beforehand, if each launch has its own line
};

/// The results of one plan.
struct LaunchBatch {
  std::vector<double> cycles;                     ///< one sample for each recorded launch
  std::vector<double> longest;                    ///< the same of the block that took longest, if the job asks for it
  std::array<std::uint32_t, fact_slots> facts{};  ///< after the last launch, if the job has facts
  std::vector<std::vector<double>> clocks;        ///< Places::Clocks: cycles by place, for each recorded launch
  std::vector<double> written;                    ///< Places::Written: after the last launch
  /// If the job asks for energy: the board's power meanwhile, and how long one window was by the host; 0 if unknown.
  double watts = 0, window_s = 0;
};

/// Launches probe kernels and reads back what they wrote. Everything goes through the default stream of the current
/// context, so that each launch sees what was queued before it.
class Launcher {
 public:
  /// `sms` are those that launches with blocks for each SM mean.
  Launcher(const Driver& driver, CUdevice device, std::int64_t l2_bytes, int sms);

  /// Loads a job's kernels and checks their shapes. Errors: "launch", "io", "cuda", "fault".
  [[nodiscard]] Expected<std::vector<ReadyKernel>> prepare(const Job& job) { return loader_.load(job); }

  /// Unloads the modules of a finished job. Error "fault".
  [[nodiscard]] Expected<void> unload(const Job& job) { return loader_.unload(job); }

  /// Fills the data buffer and allocates everything else. Errors: "data", "memory", "fault".
  [[nodiscard]] Expected<void> restore(const Job& job);

  /// Runs each plan: one discarded launch (if all launches are queued at once, only in a kernel's first plan), then the
  /// recorded ones. Returns one batch for each plan. A plan that settles lines has a discarded launch for each of its
  /// lines: the first access to a line decides which side of L2 answers. Errors: "launch", "memory", "clocks", "fault".
  [[nodiscard]] Expected<std::vector<LaunchBatch>> launch_all(const Job& job, std::span<const BatchPlan> plans);

  /// Launches each kernel once, and keeps what it leaves (JobContents). Errors: "io", "data", "cuda", "launch",
  /// "fault".
  [[nodiscard]] Expected<void> exchange(const Job& job, std::span<const ReadyKernel> kernels);

  /// launch() makes one launch that is not timed. before_launch() makes the preparations of a launch: for cold data, it
  /// waits for the launches before, releases persisting lines of L2 and sweeps L2.
  [[nodiscard]] Expected<void> launch(const Job& job, const ReadyKernel& kernel, CUdeviceptr clocks);
  [[nodiscard]] Expected<void> before_launch(const Job& job);
  /// Must precede each launch(), because blocks that wait for each other count in the facts. Returns whether anything
  /// was put into the stream. In a row of launches only the first one needs that: it is `fresh`, and zeroes the whole
  /// buffer, of which the others use other slices.
  [[nodiscard]] Expected<bool> zero_facts(bool fresh);
  [[nodiscard]] Expected<void> wait(const char* doing);
  /// Puts a sweep of L2 through another buffer into the stream. Error "memory".
  [[nodiscard]] Expected<void> sweep();

  /// Room for one launch's clock readings. Error "memory".
  [[nodiscard]] Expected<CUdeviceptr> clocks(const ReadyKernel& kernel);

 private:
  /// One of the launches that are read back together.
  struct Slice {
    std::size_t plan = 0;
    bool recorded = false;
    std::int64_t first_byte = 0;  ///< offset of its clock readings
    std::int64_t at = 0;
  };

  [[nodiscard]] Expected<void> release_persisting_lines();
  [[nodiscard]] Expected<void> set_aside(const Launch& launch);
  [[nodiscard]] Expected<void> launch(const Job& job, const ReadyKernel& kernel, CUdeviceptr clocks, CUdeviceptr facts,
                                      CUdeviceptr places, std::int64_t at, CUstream stream);
  [[nodiscard]] Expected<void> launch_in_graph(const std::function<Expected<void>(CUstream)>& launch_all);
  [[nodiscard]] Expected<void> launch_together(const Job& job, std::span<const BatchPlan> plans,
                                               std::span<LaunchBatch> batches);
  [[nodiscard]] Expected<void> launch_part(const Job& job, std::span<const BatchPlan> plans,
                                           std::span<const Slice> slices, std::span<LaunchBatch> batches);
  [[nodiscard]] Expected<void> read_places(std::span<const Slice> slices, std::span<const std::size_t> places,
                                           std::span<LaunchBatch> batches);
  [[nodiscard]] Expected<void> read_facts(std::span<const Slice> slices, std::span<LaunchBatch> batches);

  const Driver& driver_;
  CUdevice device_;
  std::int64_t evict_bytes_;
  std::size_t fact_slice_ = 0;  ///< the slice that launch() uses
  bool set_aside_ = false;      ///< whether a part of L2 is set aside for accesses that persist
  KernelLoader loader_;
  DataBuffer data_;
  DeviceBuffer clocks_, facts_, sink_, places_, evict_;
  std::vector<std::uint64_t> readings_;  ///< kept, because new memory for many launches would cost more than the copy
  std::optional<std::pair<std::string, std::string>> held_contents_;  ///< the last file of contents, by its path
  TensorMap tensor_;
  Texture texture_;
};

}  // namespace warpclock
