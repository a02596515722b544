#include <utility>

#include "gpu/launch/runner_state.hpp"

namespace warpclock {

Expected<Observation> Runner::State::call(const Job& job) {
  if (counter_source) (*counter_source)->rest();
  Observation observation;
  WARPCLOCK_TRY(caller->prepare(job.cubin_path, job.call));
  RowClock clock;
  const auto before = WARPCLOCK_TRY(clock_within(fresh));
  clock.add(before);
  auto times = WARPCLOCK_TRY(caller->time());
  observation.call_us = std::move(times);
  WARPCLOCK_TRY(close_clock(clock, fresh, observation));
  auto empty = WARPCLOCK_TRY(caller->time_empty());
  observation.empty_us = std::move(empty);
  if (job.call.library.m > 0) WARPCLOCK_TRY(time_library(observation));
  if (!job.counters.empty()) WARPCLOCK_TRY(count_call(job, observation));
  caller->release();
  return observation;
}

// The kernel's own times are as good without it.
Expected<void> Runner::State::time_library(Observation& observation) {
  auto times = caller->time_library(load_cublas);
  if (times) {
    observation.library = *std::move(times);
  } else if (times.error().code == ErrorCode::Fault) {
    return std::unexpected(times.error());
  } else {
    observation.library.missing = times.error().text;
  }
  return {};
}

// Several launches, because one may be an outlier. Each is settled as a timed one is.
Expected<void> Runner::State::count_call(const Job& job, Observation& observation) {
  constexpr std::size_t counted_launches = 5;
  const std::vector<CountedLaunch> launches(counted_launches,
                                            {[this] { return caller->settle(); }, [this] { return caller->run(); }});
  return collect(job.counters, launches, observation);
}

}  // namespace warpclock
