#include "gpu/launch/clock.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <ctime>
#include <stop_token>
#include <utility>

#include "base/text.hpp"
#include "gpu/job/statistics.hpp"

namespace warpclock {

// A host that was busy is seen by a long wait. The first pair serves all later ones, so it is the best of several; of
// the later ones, one counts only if it says more than those before it.
void TimerCheck::add(const TimerPair& pair) {
  constexpr int candidates = 16;
  constexpr double least_ns = 1e8;
  if (seen_ < candidates) {
    if (seen_ == 0 || pair.wait_ns < first_.wait_ns) first_ = pair;
    ++seen_;
    return;
  }
  const auto host = static_cast<double>(pair.host_ns - first_.host_ns);
  if (host < least_ns) return;
  const double error = (pair.wait_ns + first_.wait_ns) / host;
  if (ratio_.seconds > 0 && error > ratio_.error) return;
  ratio_ = {static_cast<double>(pair.device_ns - first_.device_ns) / host, error, host / 1e9};
}

std::int64_t host_ns() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC_RAW, &now);
  return std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

namespace {

// PTX rather than a cubin, so that the driver compiles it for any device. Both loops give up after 2^28 cycles: a timer
// that does not advance must not hang the device.
constexpr const char* clock_ptx = R"(
.version 7.0
.target sm_75
.address_size 64

.visible .entry warpclock_clock(.param .u64 ticks, .param .u64 duration)
{
  .reg .pred %p<4>;
  .reg .b64 %r<15>;

  ld.param.u64 %r1, [ticks];
  ld.param.u64 %r2, [duration];
  cvta.to.global.u64 %r1, %r1;
  mov.u64 %r3, %globaltimer;
  mov.u64 %r4, %clock64;
FIRST:
  mov.u64 %r5, %globaltimer;
  mov.u64 %r6, %clock64;
  sub.u64 %r11, %r6, %r4;
  setp.eq.u64 %p1, %r5, %r3;
  setp.lt.u64 %p2, %r11, 268435456;
  and.pred %p3, %p1, %p2;
  @%p3 bra FIRST;
  add.u64 %r7, %r5, %r2;
  sub.u64 %r12, %r5, %r3;
  mov.u64 %r13, %r5;
LAST:
  mov.u64 %r8, %globaltimer;
  mov.u64 %r9, %clock64;
  sub.u64 %r14, %r8, %r13;
  max.u64 %r12, %r12, %r14;
  mov.u64 %r13, %r8;
  sub.u64 %r11, %r9, %r6;
  setp.lt.u64 %p1, %r8, %r7;
  setp.lt.u64 %p2, %r11, 268435456;
  and.pred %p3, %p1, %p2;
  @%p3 bra LAST;
  st.global.u64 [%r1], %r6;
  st.global.u64 [%r1+8], %r5;
  st.global.u64 [%r1+16], %r9;
  st.global.u64 [%r1+24], %r8;
  st.global.u64 [%r1+32], %r12;
  ret;
}

.visible .entry warpclock_empty()
{
  ret;
}
)";

}  // namespace

Expected<double> clock_mhz(const ClockTicks& ticks) {
  if (ticks.last_ns <= ticks.first_ns || ticks.last_cycle <= ticks.first_cycle) {
    return fail("clocks", fmt::format("the SM clock went from {} to {} while the timer went from {} to {} ns",
                                      ticks.first_cycle, ticks.last_cycle, ticks.first_ns, ticks.last_ns));
  }
  return static_cast<double>(ticks.last_cycle - ticks.first_cycle) * 1e3 /
         static_cast<double>(ticks.last_ns - ticks.first_ns);
}

ClockMeter::~ClockMeter() {
  if (module_ != nullptr) driver_.cuModuleUnload(module_);
}

Expected<void> ClockMeter::load() {
  if (kernel_ != nullptr) return {};
  if (module_ == nullptr) {
    if (auto ok = check(driver_, driver_.cuModuleLoadData(&module_, clock_ptx), "compiling the clock kernel"); !ok) {
      module_ = nullptr;
      return fail(ok.error().code == ErrorCode::Fault ? ErrorCode::Fault : ErrorCode::ClockKernel, ok.error().text);
    }
  }
  WARPCLOCK_TRY(ticks_.ensure(sizeof(ClockTicks)));
  return check(driver_, driver_.cuModuleGetFunction(&kernel_, module_, "warpclock_clock"),
               "looking up the clock kernel");
}

Expected<void> ClockMeter::start(std::uint64_t duration_ns) {
  CUdeviceptr out = ticks_.address();
  void* parameters[] = {&out, &duration_ns};
  const CUlaunchConfig config = launch_config({1, 1, 1}, {1, 1, 1});
  return check(driver_, driver_.cuLaunchKernelEx(&config, kernel_, parameters, nullptr), "starting the clock kernel");
}

Expected<void> ClockMeter::hold(std::uint64_t duration_ns) {
  WARPCLOCK_TRY(load());
  return start(duration_ns);
}

Expected<CUfunction> ClockMeter::empty_kernel() {
  WARPCLOCK_TRY(load());
  if (empty_ == nullptr)
    WARPCLOCK_TRY(check(driver_, driver_.cuModuleGetFunction(&empty_, module_, "warpclock_empty"),
                        "looking up the empty kernel"));
  return empty_;
}

Expected<ClockMeasurement> ClockMeter::measure(std::uint64_t duration_ns) {
  WARPCLOCK_TRY(load());
  const std::int64_t asked = host_ns();
  WARPCLOCK_TRY(start(duration_ns));
  ClockTicks ticks;
  WARPCLOCK_TRY(check(driver_, driver_.cuMemcpyDtoH(&ticks, ticks_.address(), sizeof ticks), "reading the SM clock"));
  const std::int64_t had = host_ns();
  const auto mhz = WARPCLOCK_TRY(clock_mhz(ticks));
  const double wait_ns =
      std::max(0.0, static_cast<double>(had - asked) - static_cast<double>(ticks.last_ns - ticks.first_ns));
  timer_.add({had, ticks.last_ns, wait_ns});
  return ClockMeasurement{mhz, static_cast<double>(ticks.longest_step_ns) / 1e3, wait_ns / 1e3, had};
}

void ClockMeter::settle() {
  using Time = std::chrono::steady_clock;
  constexpr auto at_least = std::chrono::milliseconds(100), at_most = std::chrono::milliseconds(1500);
  constexpr int settled_readings = 20;
  const auto start = Time::now();
  double before = 0;
  int steady = 0;
  while (Time::now() < start + at_most && (steady < settled_readings || Time::now() < start + at_least)) {
    const auto now = measure();
    if (!now) return;
    steady = std::abs(now->sm_mhz - before) <= 0.002 * now->sm_mhz ? steady + 1 : 0;
    before = now->sm_mhz;
  }
}

namespace {

/// Over the time between the readings, as if the clock had changed evenly from one to the next.
double mean_mhz(const std::vector<ClockMeasurement>& readings) {
  double sum = 0, time = 0;
  for (std::size_t i = 1; i < readings.size(); ++i) {
    const auto passed = static_cast<double>(readings[i].host_ns - readings[i - 1].host_ns);
    sum += passed * (readings[i].sm_mhz + readings[i - 1].sm_mhz) / 2;
    time += passed;
  }
  return time > 0 ? sum / time : readings.back().sm_mhz;
}

}  // namespace

void RowClock::add(const ClockMeasurement& reading) {
  longest_pause_us_ = std::max(longest_pause_us_, reading.pause_us);
  if (reading.sm_mhz > 0) readings_.push_back(reading);
}

void RowClock::begin_here() {
  if (readings_.size() > 1) readings_.erase(readings_.begin(), readings_.end() - 1);
}

void RowClock::note(ClockReading& clock) const {
  clock.pause_us = std::round(longest_pause_us_);
  if (readings_.empty()) return;
  const auto [low, high] = std::ranges::minmax_element(readings_, {}, &ClockMeasurement::sm_mhz);
  const SmClock found{mean_mhz(readings_), low->sm_mhz, high->sm_mhz};
  clock.sm_mhz = found.mhz;
  if (found.moved()) clock.sm_low_mhz = found.low, clock.sm_high_mhz = found.high;
}

namespace {

/// The counter stepped between two readings.
struct Step {
  double at_ns = 0, within_ns = 0;
  double joules = 0;  ///< after it
};

}  // namespace

std::optional<EnergyWindow> energy_between_steps(std::span<const EnergyReading> readings) {
  constexpr double least_s = 0.2, most_error = 0.03;
  std::optional<Step> first, last;
  for (std::size_t i = 1; i < readings.size(); ++i) {
    const EnergyReading &before = readings[i - 1], &now = readings[i];
    if (now.joules == before.joules) continue;
    const auto passed = static_cast<double>(now.host_ns - before.host_ns);
    last = Step{static_cast<double>(before.host_ns - readings[0].host_ns) + passed / 2, passed, now.joules};
    if (!first) first = last;
  }
  if (!last) return std::nullopt;
  const double ns = last->at_ns - first->at_ns, seconds = ns / 1e9;
  const double error = (first->within_ns + last->within_ns) / 2;
  if (seconds < least_s || error > most_error * ns || last->joules <= first->joules) return std::nullopt;
  return EnergyWindow{last->joules - first->joules, seconds};
}

EnergySampler::EnergySampler(Read read) : read_(std::move(read)) {
  take();
  if (readings_.empty()) return;
  thread_ = std::jthread([this](const std::stop_token& stop) {
    constexpr auto pause = std::chrono::milliseconds(1);
    while (!stop.stop_requested()) {
      std::this_thread::sleep_for(pause);
      take();
    }
  });
}

std::vector<EnergyReading> EnergySampler::stop() {
  thread_ = {};
  return std::exchange(readings_, {});
}

void EnergySampler::take() {
  if (const auto joules = read_()) readings_.push_back({host_ns(), *joules});
}

namespace {

constexpr int most_measurements = 4;

/// The largest amount by which a launch exceeded the median of its series, in microseconds.
double longest_excess_us(const Samples& samples, double sm_mhz) {
  double longest = 0;
  for (const Series& series : samples) {
    if (series.cycles.empty() || sm_mhz <= 0) continue;
    const double excess = std::ranges::max(series.cycles) - median(sorted_finite(series.cycles));
    longest = std::max(longest, excess / sm_mhz);
  }
  return longest;
}

}  // namespace

Expected<double> shortest_wait_us(double first_us, const std::function<Expected<ClockMeasurement>()>& measure) {
  double shortest = first_us;
  for (int measurements = 1; measurements < most_measurements && shortest >= foreign_wait_us; ++measurements) {
    const auto again = WARPCLOCK_TRY(measure());
    shortest = std::min(shortest, again.wait_us);
  }
  return shortest;
}

std::vector<GpuProcess> other_processes(std::vector<GpuProcess> now, std::int64_t own_pid,
                                        const std::vector<GpuProcess>& before) {
  const auto own = [&](const GpuProcess& one) { return one.pid == own_pid; };
  if (std::erase_if(now, own) > 0) return now;
  const auto fresh = std::ranges::find_if(
      now, [&](const GpuProcess& one) { return std::ranges::find(before, one.pid, &GpuProcess::pid) == before.end(); });
  if (fresh != now.end()) now.erase(fresh);
  return now;
}

std::string to_string(const GpuProcess& process) {
  const std::string name = process.name.empty() ? "unnamed" : process.name;
  const std::string memory =
      process.memory_bytes ? ", " + human_bytes(static_cast<std::uint64_t>(*process.memory_bytes)) : std::string();
  return fmt::format("{} (process {}, {}{})", name, process.pid, process.kind, memory);
}

std::optional<SharedSign> shared_sign(const ClockReading& clock, const Samples& samples) {
  if (clock.wait_us >= foreign_wait_us) return SharedSign{"a kernel waited for the GPU", clock.wait_us};
  if (clock.pause_us >= foreign_pause_us) return SharedSign{"a kernel paused", clock.pause_us};
  const double excess = longest_excess_us(samples, clock.sm_mhz);
  if (clock.others > 0 && excess >= foreign_wait_us) return SharedSign{"a launch took longer than others", excess};
  return std::nullopt;
}

}  // namespace warpclock
