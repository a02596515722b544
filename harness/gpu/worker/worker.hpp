#pragma once

#include <chrono>
#include <deque>
#include <functional>
#include <istream>
#include <optional>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/process.hpp"
#include "gpu/device/device.hpp"
#include "gpu/device/watch.hpp"
#include "gpu/job/job.hpp"
#include "gpu/job/samples.hpp"

namespace warpclock {

/// The worker's loop: one job per line in, one event per line out. The next job is read while one runs. It ends when
/// the input ends, or after a job fails with "fault", which is the last thing that it reports; then it calls
/// `stop_reading`, which must end the input. True if the input ended by itself.
[[nodiscard]] bool serve(std::istream& in, const std::function<void(const std::string&)>& write_line,
                         const std::function<Expected<Observation>(const Job&)>& run,
                         const std::function<void()>& stop_reading);

struct WorkerOptions {
  /// Program and arguments; empty for this program itself with the argument `worker`.
  std::vector<std::string> command;
  /// False leaves hardware counters alone: the program gets the further argument `--no-counters`.
  bool counters = true;
  /// At least so many SMs in a green context; 0 for the whole GPU. The program gets `--sms`.
  int sms = 0;
  /// Time limit of one case. 0 means WARPCLOCK_WATCHDOG_S from the environment, or 10 s.
  std::chrono::milliseconds case_timeout{0};
  /// Time limit for opening the device.
  std::chrono::milliseconds start_timeout{60'000};
  /// How long to try to start a new worker after one was killed: the GPU may need a while to become usable.
  std::chrono::milliseconds retry_for{10'000};
  /// What sees the events of the device with this address on the PCI bus.
  std::function<Expected<GpuWatch>(const std::string&)> watch = GpuWatch::start;
};

/// The process that uses the GPU, seen from the one that does not. If a case hangs, faults or kills the process, that
/// case gets an error, and the next case gets a new process.
///
/// The process dies with the thread that started it, so jobs must be run from one long-lived thread.
class Worker {
 public:
  /// Errors: "no-driver", "no-device" and other errors that the worker reports at its start; "usage" (a bad
  /// WARPCLOCK_WATCHDOG_S), "process" (it cannot be started), "worker-died".
  [[nodiscard]] static Expected<Worker> start(WorkerOptions options = {});

  /// Errors of the case: those of Runner::run; "watchdog" (killed after the time limit), "worker-died" (the text names
  /// the signal or the status), "protocol" (it wrote an invalid line). Error "device-lost" if no new worker can be
  /// started; from then on every call returns this error at once.
  [[nodiscard]] Expected<Observation> run(const Job& job);

  /// run() in two steps, so that the worker already has its next job when it finishes one. post() sends `job`
  /// without waiting for an answer.
  void post(const Job& job);
  /// Waits for the answer to the job that was posted first. If the worker fails, a new one runs the remaining jobs.
  [[nodiscard]] Expected<Observation> take();
  /// Number of jobs posted but not yet taken. It must be 0 when run() is called.
  [[nodiscard]] std::size_t posted() const { return posted_.size(); }

  [[nodiscard]] const DeviceFacts& device() const { return device_; }
  /// Why there are no counters; empty if there are.
  [[nodiscard]] const std::string& counters_missing() const { return counters_missing_; }
  /// Other processes on the device when it was opened, as text, and how long a kernel waited for the GPU, or stood
  /// still, then.
  [[nodiscard]] const std::vector<std::string>& others() const { return others_; }
  [[nodiscard]] double wait_us() const { return wait_us_; }
  [[nodiscard]] double pause_us() const { return pause_us_; }
  /// %globaltimer against the host's clock, as far as the worker has compared them.
  [[nodiscard]] const TimerRatio& timer() const { return timer_; }
  /// NVML's highest mean over a second or so since the start; 0 if unknown.
  [[nodiscard]] double most_power_w() const { return most_power_w_; }
  /// What NVML reported since the start; nothing without NVML.
  [[nodiscard]] GpuEvents gpu_events() { return watch_ ? watch_->seen() : GpuEvents(); }
  /// Process id of the current worker, or -1 if there is none at the moment.
  [[nodiscard]] pid_t pid() const { return child_ ? child_->pid() : -1; }

 private:
  struct Posted {
    std::string id, line;
    bool sent = false;  ///< to the child, which may have died since
  };

  explicit Worker(WorkerOptions options) : options_(std::move(options)) {}

  [[nodiscard]] Expected<void> spawn();
  [[nodiscard]] Expected<void> respawn();
  void send_ahead();
  [[nodiscard]] Expected<Observation> answer(const std::string& id, Child::Deadline deadline);
  [[nodiscard]] Error give_up_on_child(const Error& why, std::chrono::milliseconds timeout);

  WorkerOptions options_;
  std::optional<Child> child_;
  DeviceFacts device_;
  std::string counters_missing_;
  std::vector<std::string> others_;
  double wait_us_ = 0, pause_us_ = 0, most_power_w_ = 0;
  TimerRatio timer_;
  std::optional<GpuWatch> watch_;
  std::optional<Error> lost_;
  std::deque<Posted> posted_;
};

/// The worker process itself: opens the device, says hello, and runs the jobs that arrive line by line until its input
/// ends. What libraries and kernels print goes to standard error. The exit status is 0 unless the device is lost.
/// `sms`: of a green context; 0: all of the GPU.
[[nodiscard]] int worker_main(bool counters, int sms);

}  // namespace warpclock
