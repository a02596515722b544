#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "base/error.hpp"
#include "gpu/device/device.hpp"
#include "gpu/device/driver.hpp"
#include "gpu/device/memory.hpp"
#include "gpu/job/samples.hpp"

namespace warpclock {

/// A reading of %globaltimer, and the host's clock when it had it, at most `wait_ns` later.
struct TimerPair {
  std::int64_t host_ns = 0;
  std::uint64_t device_ns = 0;
  double wait_ns = 0;
};

/// Compares %globaltimer with the host's clock over the life of a process: pairs of readings come with every reading of
/// the SM clock. The longer the time between two pairs, the less it matters how long the host waited for them.
class TimerCheck {
 public:
  void add(const TimerPair& pair);
  [[nodiscard]] const TimerRatio& ratio() const { return ratio_; }

 private:
  TimerPair first_;
  int seen_ = 0;
  TimerRatio ratio_;
};

/// CLOCK_MONOTONIC_RAW, which nothing adjusts.
[[nodiscard]] std::int64_t host_ns();

/// The readings of both clocks at two ticks of %globaltimer, and the longest step of the timer between two successive
/// readings.
struct ClockTicks {
  std::uint64_t first_cycle = 0, first_ns = 0, last_cycle = 0, last_ns = 0, longest_step_ns = 0;
};

/// One measurement of the SM clock.
struct ClockMeasurement {
  double sm_mhz = 0;
  double pause_us = 0;       ///< the longest pause of the kernel: another context ran
  double wait_us = 0;        ///< time that the host waited, less the kernel's own: mostly until its start
  std::int64_t host_ns = 0;  ///< when the host had it, see host_ns()
};

/// Cycles per microsecond. Error "clocks" if either clock did not advance.
[[nodiscard]] Expected<double> clock_mhz(const ClockTicks& ticks);

/// Measures the SM clock with its own kernel: one thread reads %clock64 at two ticks of %globaltimer about 150 us
/// apart. It reads at ticks because %globaltimer advances in steps of up to a microsecond. Each measurement also
/// compares %globaltimer with the host's clock.
class ClockMeter {
 public:
  explicit ClockMeter(const Driver& driver) : driver_(driver), ticks_(driver) {}
  ClockMeter(const ClockMeter&) = delete;
  ClockMeter& operator=(const ClockMeter&) = delete;
  ~ClockMeter();

  /// Errors: "clock" if the driver cannot compile the kernel's PTX, "clocks", "fault".
  [[nodiscard]] Expected<ClockMeasurement> measure(std::uint64_t duration_ns = 150'000);

  /// Of all measurements so far.
  [[nodiscard]] const TimerRatio& timer() const { return timer_.ratio(); }

  /// Runs the kernel until the clock is steady: an idle device takes a while to reach its running clock.
  void settle();

  /// Starts the kernel and does not wait: what is put into the stream next follows without a pause.
  [[nodiscard]] Expected<void> hold(std::uint64_t duration_ns);

  /// A kernel that does nothing. Errors as measure().
  [[nodiscard]] Expected<CUfunction> empty_kernel();

 private:
  [[nodiscard]] Expected<void> load();
  [[nodiscard]] Expected<void> start(std::uint64_t duration_ns);

  const Driver& driver_;
  DeviceBuffer ticks_;
  CUmodule module_ = nullptr;
  CUfunction kernel_ = nullptr, empty_ = nullptr;
  TimerCheck timer_;
};

/// The readings of the SM clock before, between and after the launches of one job.
class RowClock {
 public:
  /// A reading without a clock does not count.
  void add(const ClockMeasurement& reading);

  /// Forgets all readings but the last one: the GPU had not yet settled into the launches before it.
  void begin_here();

  /// Fills in the clock, its range if it moved, and the longest pause.
  void note(ClockReading& clock) const;

 private:
  std::vector<ClockMeasurement> readings_;
  double longest_pause_us_ = 0;
};

/// The energy counter at a time of the host.
struct EnergyReading {
  std::int64_t host_ns = 0;
  double joules = 0;
};

/// Energy and the time in which it was used.
struct EnergyWindow {
  double joules = 0, seconds = 0;

  bool operator==(const EnergyWindow&) const = default;
};

/// From the counter's first step among the readings to its last one: it steps every 20 to 100 ms, so that its value at
/// another time belongs to an earlier one. Nothing if that is shorter than 0.2 s, or if the readings are too far apart
/// to tell the time of the steps to 3 % of it.
[[nodiscard]] std::optional<EnergyWindow> energy_between_steps(std::span<const EnergyReading> readings);

/// Reads the energy counter every millisecond or so, in a thread of its own, because the host waits for launches.
class EnergySampler {
 public:
  /// Joules since some time; nothing if the device does not count them.
  using Read = std::function<std::optional<double>()>;

  explicit EnergySampler(Read read);
  EnergySampler(const EnergySampler&) = delete;
  EnergySampler& operator=(const EnergySampler&) = delete;
  ~EnergySampler() = default;

  /// Ends the thread. The readings in the order of their times.
  [[nodiscard]] std::vector<EnergyReading> stop();

 private:
  void take();

  Read read_;
  std::vector<EnergyReading> readings_;
  std::jthread thread_;  // the last member: it uses the others
};

/// A kernel on an idle stream begins some 20 microseconds after its launch, and at most 60 in 4,000 measurements
/// (H200). If another process keeps the GPU busy, it waits for the end of that process's time slice, 2,000 to 2,600
/// microseconds.
constexpr double foreign_wait_us = 250;
/// Within a kernel %globaltimer advances by at most 2 microseconds at once (H200); if another context used the SMs, by
/// 2,400.
constexpr double foreign_pause_us = 100;

/// The shortest wait among several measurements of an idle stream, so that a host that was busy once is not taken for a
/// shared GPU. Stops after the first measurement without a wait.
[[nodiscard]] Expected<double> shortest_wait_us(double first_us,
                                                const std::function<Expected<ClockMeasurement>()>& measure);

/// The processes on the device other than this one. A container may know this process by another number. It is then the
/// first one that is not in `before`, the list from before this process opened the device.
[[nodiscard]] std::vector<GpuProcess> other_processes(std::vector<GpuProcess> now, std::int64_t own_pid,
                                                      const std::vector<GpuProcess>& before);

/// "python3 (process 915, compute, 874 MiB)".
[[nodiscard]] std::string to_string(const GpuProcess& process);

/// A sign that a case was not alone on the GPU, "a kernel waited for the GPU", and its duration.
struct SharedSign {
  std::string text;
  double us = 0;
};

/// Nothing if there is no sign. A launch that exceeds the others by as much as a kernel waits counts only if another
/// process is known, because the host may also be late.
[[nodiscard]] std::optional<SharedSign> shared_sign(const ClockReading& clock, const Samples& samples);

}  // namespace warpclock
