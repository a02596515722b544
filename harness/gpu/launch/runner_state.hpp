#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "gpu/device/nvml.hpp"
#include "gpu/launch/caller.hpp"
#include "gpu/launch/clock.hpp"
#include "gpu/launch/energy.hpp"
#include "gpu/launch/launcher.hpp"
#include "gpu/launch/row_clock.hpp"
#include "gpu/launch/runner.hpp"
#include "gpu/launch/sharing.hpp"

namespace warpclock {

/// What a runner holds; only its sources include this.
struct Runner::State {
  // Retained as long as this object exists.
  struct PrimaryContext {
    const Driver& driver;
    CUdevice device;
    CUcontext context;
    ~PrimaryContext() { driver.cuDevicePrimaryCtxRelease(device); }
  };

  /// Kernels whose counters are read as one, and their job.
  struct CountedKernels {
    const Job* job;
    std::span<const ReadyKernel> kernels;
  };

  /// How old a reading of the clock may be that short jobs share, and one that is a job's own.
  static constexpr auto clock_every = std::chrono::milliseconds(20), fresh = std::chrono::milliseconds(0);

  State(const Driver& table, CUdevice device, CUcontext context)
      : driver(table), primary{driver, device, context}, meter(driver) {}

  Driver driver;
  PrimaryContext primary;
  Expected<std::unique_ptr<Counters>> counter_source = fail("counters-absent", "not opened");
  ClockMeter meter;
  DeviceFacts facts;
  std::optional<Nvml> nvml;
  EnergySampler::Read read_energy;
  NvmlReading last_reading;
  std::optional<std::chrono::steady_clock::time_point> last_read;
  ClockMeasurement last_clock;
  std::optional<std::chrono::steady_clock::time_point> last_clock_at;
  std::optional<Launcher> launcher;
  std::optional<Caller> caller;
  LoadCublas load_cublas;
  std::vector<GpuProcess> before_us, others;
  std::vector<std::string> others_in_words;
  double wait_us = 0, pause_us = 0;

  [[nodiscard]] Expected<ClockMeasurement> measure_clock();
  /// The last reading, or a new one if it is older than that.
  [[nodiscard]] Expected<ClockMeasurement> clock_within(std::chrono::milliseconds age);
  [[nodiscard]] Expected<double> wait_behind(const ClockMeasurement& now);
  [[nodiscard]] double longest_pause_us();
  void find_others();
  [[nodiscard]] const NvmlReading& reading();
  [[nodiscard]] Expected<void> time(const Job& job, const std::vector<ReadyKernel>& kernels, Observation& observation);
  [[nodiscard]] static Expected<void> add_counted(const Job& job, std::span<const ReadyKernel> kernels,
                                                  std::vector<CountedKernels>& all);
  /// Notes the counters of each launch, or why there are none. Error "fault".
  [[nodiscard]] Expected<void> collect(const std::vector<std::string>& counters,
                                       const std::vector<CountedLaunch>& launches, Observation& observation);
  [[nodiscard]] Expected<void> count(const std::vector<CountedKernels>& all, Observation& observation);
  /// Runs the plans. If they take long, the clock is read between them too, and the energy counter meanwhile.
  [[nodiscard]] Expected<std::vector<LaunchBatch>> run_plans(const Job& job, std::span<const BatchPlan> plans,
                                                             RowClock& clock, ClockReading& noted);
  /// The clock after a job, at most so old, and what else the device says then.
  [[nodiscard]] Expected<void> close_clock(RowClock& clock, std::chrono::milliseconds age, Observation& observation);
  /// The job's call instead of kernels of probes.
  [[nodiscard]] Expected<Observation> call(const Job& job);
  [[nodiscard]] Expected<void> count_call(const Job& job, Observation& observation);
  /// Notes the times of the library's call, or why there are none. Error "fault".
  [[nodiscard]] Expected<void> time_library(Observation& observation);
};

}  // namespace warpclock
