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
#include "gpu/device/modules.hpp"
#include "gpu/device/texture.hpp"
#include "gpu/job/args.hpp"
#include "gpu/job/job.hpp"
#include "gpu/launch/shape.hpp"

namespace warpclock {

/// A kernel ready to be launched.
struct Ready {
  std::int64_t n = 0;
  CUfunction function = nullptr;
  Shape shape;
  std::int64_t carveout = 0;
  std::int64_t further_passes = 0;
  std::int64_t at = 0, at_step = 0;  ///< what it gets as `args.at`: launch i has so many steps more
};

/// Launches of one kernel, one behind the other.
struct Turn {
  const Ready* kernel = nullptr;
  int recorded = 0;
  int before = 0;   ///< recorded in the kernel's earlier turns
  int settles = 0;  ///< lines that it settles beforehand, where each launch has its own
};

/// What one turn gave.
struct LaunchBatch {
  std::vector<double> cycles;                     ///< a sample a recorded launch
  std::array<std::uint32_t, fact_slots> facts{};  ///< after the last launch, where the job has facts
  std::vector<std::vector<double>> clocks;        ///< Places::Clocks: of each recorded launch, the cycles of each place
  std::vector<double> written;                    ///< Places::Written: after the last launch
};

/// Launches probe kernels and reads back what they wrote. Everything goes through the default stream of the current
/// context, so that each launch finds what was put before it.
class Launcher {
 public:
  Launcher(const Driver& driver, CUdevice device, std::int64_t l2_bytes);

  /// Loads a job's kernels and checks their shapes. Errors: "launch", "io", "cuda", "fault".
  [[nodiscard]] Expected<std::vector<Ready>> prepare(const Job& job);

  /// Unloads the modules of a job that is done. Error "fault".
  [[nodiscard]] Expected<void> unload(const Job& job);

  /// Fills the data buffer and makes room for everything else. Errors: "data", "memory", "fault".
  [[nodiscard]] Expected<void> restore(const Job& job);

  /// Of each turn one discarded launch (where all stand at once, only of a kernel's first turn) and the recorded ones.
  /// A batch for each turn. A turn that settles lines has a discarded launch at each of them: which side of L2 answers
  /// is settled by whoever is first at a line. Errors: "launch", "memory", "clocks", "fault".
  [[nodiscard]] Expected<std::vector<LaunchBatch>> launch_all(const Job& job, std::span<const Turn> turns);

  /// One launch that nobody times, and (separately) what stands before a launch: for cold data, L2 swept and its
  /// persisting lines released, which waits for what was launched before.
  [[nodiscard]] Expected<void> launch(const Job& job, const Ready& kernel, CUdeviceptr clocks);
  [[nodiscard]] Expected<void> before_launch(const Job& job);
  /// What launch() needs before it, each time: blocks that wait for each other count in the facts. Whether something
  /// was put into the stream for it: only of many launches in a row the first needs that, as others have slices of the
  /// same buffer, which `fresh` (the first of a row) has zeroed whole.
  [[nodiscard]] Expected<bool> zero_facts(bool fresh);
  [[nodiscard]] Expected<void> wait(const char* doing);

  /// Room for one launch's clock readings. Error "memory".
  [[nodiscard]] Expected<CUdeviceptr> clocks(const Ready& kernel);

 private:
  /// What a launch asks of its function beforehand.
  struct Configuration {
    std::int64_t shared_bytes = 0, carveout = 0;
    bool large_cluster = false;

    bool operator==(const Configuration&) const = default;
  };

  /// A launch among those that are read back together.
  struct Slice {
    std::size_t turn = 0;
    bool recorded = false;
    std::int64_t first_byte = 0;  ///< of its clock readings
    std::int64_t at = 0;
  };

  [[nodiscard]] Expected<ShapeLimits> limits(CUfunction function) const;
  [[nodiscard]] Expected<void> configure(const Ready& kernel);
  [[nodiscard]] Expected<void> release_persisting_lines();
  [[nodiscard]] Expected<void> set_aside(const Launch& launch);
  [[nodiscard]] Expected<void> launch(const Job& job, const Ready& kernel, CUdeviceptr clocks, CUdeviceptr facts,
                                      CUdeviceptr places, std::int64_t at, CUstream stream);
  [[nodiscard]] Expected<void> launch_in_graph(const std::function<Expected<void>(CUstream)>& launch_all);
  [[nodiscard]] Expected<void> go(const Job& job, std::span<const Turn> turns, std::span<LaunchBatch> batches);
  [[nodiscard]] Expected<void> part(const Job& job, std::span<const Turn> turns, std::span<const Slice> slices,
                                    std::span<LaunchBatch> batches);
  [[nodiscard]] Expected<void> read_places(std::span<const Slice> slices, std::span<const std::size_t> places,
                                           std::span<LaunchBatch> batches);
  [[nodiscard]] Expected<void> read_facts(std::span<const Slice> slices, std::span<LaunchBatch> batches);

  const Driver& driver_;
  CUdevice device_;
  std::int64_t evict_bytes_;
  std::size_t fact_slice_ = 0;  ///< of launch()
  bool set_aside_ = false;      ///< a part of L2, for accesses that persist
  ModuleCache modules_;
  std::map<CUfunction, Configuration> configured_;
  DataBuffer data_;
  DeviceBuffer clocks_, facts_, sink_, places_, evict_;
  std::vector<std::uint64_t> readings_;  ///< kept, for fresh memory of many launches would cost more than the copy
  TensorMap tensor_;
  Texture texture_;
};

}  // namespace warpclock
