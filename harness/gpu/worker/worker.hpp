#pragma once

#include <chrono>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "gpu/device/device.hpp"
#include "gpu/job/job.hpp"
#include "gpu/job/samples.hpp"
#include "gpu/worker/child.hpp"

namespace warpclock {

struct WorkerOptions {
  /// Program and arguments; empty for this very program with the argument `worker`.
  std::vector<std::string> command;
  /// What one case may take. 0 for WARPCLOCK_WATCHDOG_S of the environment, or 10 s.
  std::chrono::milliseconds case_timeout{0};
  /// What opening the device may take.
  std::chrono::milliseconds start_timeout{60'000};
  /// How long to try for a new worker after one was killed: the GPU may need a while to be usable again.
  std::chrono::milliseconds retry_for{10'000};
};

/// The process that touches the GPU, seen from the one that does not. A case that hangs, faults or kills the process is
/// that case's error, and the next case gets a new process.
///
/// The process dies with the thread that started it, so run jobs from one long-lived thread.
class Worker {
 public:
  /// Errors: "no-driver", "no-device" and what else the worker says of its start; "usage" (a bad WARPCLOCK_WATCHDOG_S),
  /// "process" (it cannot be started), "worker-died".
  [[nodiscard]] static Expected<Worker> start(WorkerOptions options = {});

  /// Errors of the case: those of Runner::run; "watchdog" (killed after the time-out), "worker-died" (the text names
  /// the signal or the status), "protocol" (it wrote nonsense). Error "device-lost" when no new worker can be started;
  /// from then on every call answers so at once.
  [[nodiscard]] Expected<Observation> run(const Job& job);

  /// The same in two steps, so that the worker has its next job at hand when it is done with one: hands over `job`,
  /// without waiting for an answer...
  void post(const Job& job);
  /// ...and waits for the answer to the one posted first. What a mishap has the worker leave undone, the next one runs.
  [[nodiscard]] Expected<Observation> take();
  /// Jobs that were posted and not taken. run() wants none.
  [[nodiscard]] std::size_t posted() const { return posted_.size(); }

  [[nodiscard]] const DeviceFacts& device() const { return device_; }
  /// "available", or why there are no counters.
  [[nodiscard]] const std::string& counters() const { return counters_; }
  /// Other processes on the device when it was opened, in words, and how long a kernel waited for it then.
  [[nodiscard]] const std::vector<std::string>& others() const { return others_; }
  [[nodiscard]] double wait_us() const { return wait_us_; }
  /// Process id of the current worker, or -1 between two.
  [[nodiscard]] pid_t pid() const { return child_ ? child_->pid() : -1; }

 private:
  struct Posted {
    std::string id, line;
    bool sent = false;  ///< to the child, which may be gone
  };

  explicit Worker(WorkerOptions options) : options_(std::move(options)) {}

  [[nodiscard]] Expected<void> spawn();
  [[nodiscard]] Expected<void> respawn();
  void send_ahead(Posted& next);
  [[nodiscard]] Expected<Observation> answer(const std::string& id, Child::Deadline deadline);
  [[nodiscard]] Error give_up_on_child(const Error& why, std::chrono::milliseconds timeout);

  WorkerOptions options_;
  std::optional<Child> child_;
  DeviceFacts device_;
  std::string counters_;
  std::vector<std::string> others_;
  double wait_us_ = 0;
  std::optional<Error> lost_;
  std::deque<Posted> posted_;
};

/// The worker process itself: opens the device, says hello, runs the jobs that come in, line by line, until its input
/// ends. What libraries and kernels print goes to standard error. The exit status is 0 unless the device is lost.
[[nodiscard]] int worker_main();

}  // namespace warpclock
