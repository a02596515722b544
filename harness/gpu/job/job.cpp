#include "gpu/job/job.hpp"

#include <algorithm>
#include <utility>

namespace warpclock {

Expected<void> TimingLine::add(std::size_t row, Job job) {
  while (posted_.size() >= most_posted) WARPCLOCK_TRY(take());
  post(row, std::move(job), false);
  return {};
}

Expected<void> TimingLine::finish() {
  while (!posted_.empty()) WARPCLOCK_TRY(take());
  return {};
}

void TimingLine::post(std::size_t row, Job job, bool again) {
  desk_.post(job);
  posted_.push_back({row, std::move(job), again, Time::now()});
}

Expected<void> TimingLine::take() {
  const Expected<Observation> seen = desk_.take();
  const Posted done = std::move(posted_.front());
  posted_.pop_front();
  // It began when the job before it was answered, if that was later than its posting.
  const double took = seconds_since(std::max(done.at, answered_));
  answered_ = Time::now();
  busy_s_ += took;
  if (done.again) {
    again_s_ += took;
    ++again_;
  }
  if (!seen && seen.error().code == ErrorCode::DeviceLost) return std::unexpected(seen.error());
  if (auto second = look_(done.row, done.job, seen, done.again)) post(done.row, *std::move(second), true);
  return {};
}

}  // namespace warpclock
