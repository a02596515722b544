#include <unistd.h>

#include <cmath>
#include <utility>

#include "gpu/launch/runner_state.hpp"

namespace warpclock {
namespace {

using Time = std::chrono::steady_clock;

constexpr auto nvml_every = std::chrono::milliseconds(100);  // a power reading takes the driver a millisecond or more

}  // namespace

// Returns zeros if the driver cannot compile the clock kernel: the cycles are still valid, and no clock is made up.
Expected<ClockMeasurement> Runner::State::measure_clock() {
  const auto seen = meter.measure();
  if (!seen && seen.error().code == ErrorCode::ClockKernel) return ClockMeasurement{};
  return seen;
}

Expected<ClockMeasurement> Runner::State::clock_within(std::chrono::milliseconds age) {
  if (!last_clock_at || Time::now() - *last_clock_at >= age) {
    last_clock = WARPCLOCK_TRY(measure_clock());
    last_clock_at = Time::now();
  }
  return last_clock;
}

// Called after finished work, so that the kernel can only wait for another process.
Expected<double> Runner::State::wait_behind(const ClockMeasurement& now) {
  constexpr std::uint64_t shortly_ns = 1'000;
  return shortest_wait_us(now.wait_us, [&] { return meter.measure(shortly_ns); });
}

const NvmlReading& Runner::State::reading() {
  if (nvml && (!last_read || Time::now() - *last_read >= nvml_every)) {
    last_reading = nvml->read();
    others = other_processes(nvml->processes(), getpid(), before_us);
    last_read = Time::now();
  }
  return last_reading;
}

Expected<std::vector<LaunchBatch>> Runner::State::run_plans(const Job& job, std::span<const BatchPlan> plans,
                                                            RowClock& clock, ClockReading& noted) {
  if (job.at_once) return launcher->launch_all(job, plans);
  std::vector<LaunchBatch> batches;
  std::optional<EnergySampler> sampler;
  auto read = Time::now();
  for (std::size_t i = 0; i < plans.size(); ++i) {
    auto batch = WARPCLOCK_TRY(launcher->launch_all(job, plans.subspan(i, 1)));
    batches.push_back(std::move(batch.front()));
    if (i + 1 == plans.size() || Time::now() - read < clock_every) continue;
    const auto between = WARPCLOCK_TRY(clock_within(fresh));
    clock.add(between);
    read = Time::now();
    if (i > 0) continue;
    // A load that lasts: what clock and power are at its begin does not count. A sweep of L2 is not the load.
    clock.begin_here();
    if (read_energy && !job.data.cold) sampler.emplace(read_energy);
  }
  if (!sampler) return batches;
  if (const auto used = energy_between_steps(sampler->stop()))
    noted.energy_j = used->joules, noted.energy_s = used->seconds;
  return batches;
}

Expected<void> Runner::State::close_clock(RowClock& clock, std::chrono::milliseconds age, Observation& observation) {
  const auto after = WARPCLOCK_TRY(clock_within(age));
  clock.add(after);
  const auto waited = WARPCLOCK_TRY(wait_behind(after));
  clock.note(observation.clock);
  observation.clock.wait_us = std::round(waited);
  observation.timer = meter.timer();
  if (observation.timer.differs()) observation.clock.timer_ratio = observation.timer.ratio;
  const NvmlReading& now = reading();
  observation.clock.memory_mhz = now.memory_mhz.value_or(0);
  observation.board_w = now.power_w.value_or(0);
  observation.clock.temperature_c = now.temperature_c.value_or(0);
  observation.clock.throttle = now.throttle;
  observation.clock.others = static_cast<int>(others.size());
  return {};
}

}  // namespace warpclock
