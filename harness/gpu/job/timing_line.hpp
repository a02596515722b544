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

/// Rows that are timed one behind the other by a worker that always has the next one at hand: while it runs one, what
/// the one before gave is looked at here. From one thread.
class TimingLine {
 public:
  /// The worker: Worker::post and Worker::take.
  struct Desk {
    std::function<void(const Job&)> post;
    std::function<Expected<Observation>()> take;
  };
  /// Called once for each answer, in the order of the jobs. What it gives back is a second job for that row, put behind
  /// those that are posted by then; of that one `again` is set.
  using Look =
      std::function<std::optional<Job>(std::size_t row, const Job& job, const Expected<Observation>& seen, bool again)>;

  TimingLine(Desk desk, Look look) : desk_(std::move(desk)), look_(std::move(look)) {}

  /// Waits where two jobs are posted. Error "device-lost", after which there is nothing left to be done.
  [[nodiscard]] Expected<void> add(std::size_t row, Job job);
  /// Waits for all answers, those of second jobs too. Error "device-lost".
  [[nodiscard]] Expected<void> finish();

  [[nodiscard]] double busy_s() const { return busy_s_; }    ///< how long the worker had a job
  [[nodiscard]] double again_s() const { return again_s_; }  ///< of that, a second one
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
