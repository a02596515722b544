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

namespace warpclock {

/// Runs jobs on the GPU. Lives in the worker process and owns the device's primary context.
///
/// For each repeat count a job is launched `launches` times in two rounds, the second in the opposite order of repeat
/// counts, so that a drift of the clock tilts no slope; each round begins with one more launch that is discarded. The
/// launches of a round stand in the stream one behind the other and are read back together: those of one repeat count,
/// or of all where the job says `at_once`. The SM clock is measured right before and right after; counters, if any,
/// come last, in launches of their own.
class Runner {
 public:
  using OpenCounters = std::function<Expected<std::unique_ptr<Counters>>(CUctx_st*)>;

  /// Takes the first visible device. `driver` may be a fake. Errors: "no-device", "cuda", "fault".
  [[nodiscard]] static Expected<std::unique_ptr<Runner>> open(const Driver& driver, const OpenCounters& open_counters);
  ~Runner();
  Runner(const Runner&) = delete;
  Runner& operator=(const Runner&) = delete;

  [[nodiscard]] const DeviceFacts& device() const;
  /// "available", or why there are no counters.
  [[nodiscard]] const std::string& counters() const;
  /// Other processes on the device, in words, and how long a kernel waits for it.
  [[nodiscard]] const std::vector<std::string>& others() const;
  [[nodiscard]] double wait_us() const;

  /// A job that is not `timed` has neither samples nor facts nor a clock. Errors: "launch" (a shape the device cannot
  /// have; the text names the limit), "memory", "data", "io", "clocks" (the kernel's readings make no sense), "cuda",
  /// and "fault", after which nothing runs in this process any more.
  [[nodiscard]] Expected<Observation> run(const Job& job);

 private:
  struct State;
  explicit Runner(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace warpclock
