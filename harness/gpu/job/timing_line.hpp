#pragma once

#include <cstddef>
#include <deque>
#include <functional>
#include <optional>

#include "base/elapsed.hpp"
#include "base/error.hpp"
#include "gpu/job/job.hpp"
#include "gpu/job/samples.hpp"

namespace warpclock {

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
