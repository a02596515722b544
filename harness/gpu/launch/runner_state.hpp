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
#include "gpu/launch/launcher.hpp"
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

  State(const Driver& table, CUdevice device, CUcontext context)
      : driver(table), primary{driver, device, context}, meter(driver) {}

  Driver driver;
  PrimaryContext primary;
  Expected<std::unique_ptr<Counters>> counter_source = fail("counters-absent", "not opened");
  ClockMeter meter;
  DeviceFacts facts;
  std::optional<Nvml> nvml;
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
  /// The clock after a job, and what else the device says then.
  [[nodiscard]] Expected<void> close_clock(const std::optional<ClockMeasurement>& before, Observation& observation);
  /// The job's call instead of kernels of probes.
  [[nodiscard]] Expected<Observation> call(const Job& job);
  [[nodiscard]] Expected<void> count_call(const Job& job, Observation& observation);
  /// Notes the times of the library's call, or why there are none. Error "fault".
  [[nodiscard]] Expected<void> time_library(Observation& observation);
};

}  // namespace warpclock
