#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "base/error.hpp"
#include "gpu/device/driver.hpp"
#include "gpu/device/memory.hpp"
#include "gpu/job/args.hpp"
#include "gpu/job/job.hpp"
#include "gpu/launch/kernel_loader.hpp"
#include "gpu/launch/tensor_map.hpp"

namespace warpclock {

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
  Launcher(const Driver& driver, CUdevice device, std::int64_t l2_bytes);

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
