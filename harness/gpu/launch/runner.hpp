#pragma once

#include <functional>
#include <memory>
#include <string>

#include "base/error.hpp"
#include "gpu/counters/counters.hpp"
#include "gpu/device/device.hpp"
#include "gpu/device/driver.hpp"
#include "gpu/job/job.hpp"
#include "gpu/job/samples.hpp"
#include "gpu/launch/clock.hpp"

namespace warpclock {

/// Runs jobs on the GPU. It is used in the worker process and owns the device's primary context.
///
/// For each repeat count a job is launched `launches` times in two rounds. The second round has the opposite order of
/// repeat counts, so that a drift of the clock does not change a slope. Each round begins with one more launch that is
/// discarded; with `at_once` only a kernel's first round does. The launches of a round follow each other in the stream
/// and are read back together: those of one repeat count, or with `at_once` those of all. The SM clock is measured
/// right before and right after; jobs with `at_once` share a measurement of the last 20 ms. Rounds that take longer
/// have one between them too. If the first round does, clock and energy are those of the others. Counters, if any, come
/// last, in separate launches.
class Runner {
 public:
  using OpenCounters = std::function<Expected<std::unique_ptr<Counters>>(CUctx_st*)>;

  /// Uses the first visible device, or at least `sms` SMs of it in a green context; `device()` says how many. `driver`
  /// and what `load` gives may be fakes. Without `read_energy`, NVML counts the energy. Errors: "no-device", "cuda",
  /// "fault", those of GreenContext.
  [[nodiscard]] static Expected<std::unique_ptr<Runner>> open(const Driver& driver, const OpenCounters& open_counters,
                                                              LoadCublas load = load_cublas,
                                                              EnergySampler::Read read_energy = {}, int sms = 0);
  ~Runner();
  Runner(const Runner&) = delete;
  Runner& operator=(const Runner&) = delete;

  [[nodiscard]] const DeviceFacts& device() const;
  /// Why there are no counters; empty if there are.
  [[nodiscard]] std::string counters_missing() const;
  /// Other processes on the device at the start, as text, and how long a kernel waited for the GPU, or stood still.
  [[nodiscard]] const std::vector<std::string>& others() const;
  [[nodiscard]] double wait_us() const;
  [[nodiscard]] double pause_us() const;

  /// A job that is not `timed` has no samples, facts or clock. Errors: "launch" (a shape that the device does not
  /// allow; the text names the limit), "memory", "data", "io", "clocks" (the kernel's readings make no sense), "cuda",
  /// and "fault", after which nothing can run in this process.
  [[nodiscard]] Expected<Observation> run(const Job& job);

 private:
  struct State;
  explicit Runner(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace warpclock
