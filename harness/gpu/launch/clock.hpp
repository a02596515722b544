#pragma once

#include <cstdint>

#include "base/error.hpp"
#include "gpu/device/driver.hpp"
#include "gpu/device/memory.hpp"

namespace warpclock {

/// The readings of both clocks at two ticks of %globaltimer, and the longest step of the timer from one reading to the
/// next.
struct ClockTicks {
  std::uint64_t first_cycle = 0, first_ns = 0, last_cycle = 0, last_ns = 0, longest_step_ns = 0;
};

/// One look at the SM clock.
struct ClockLook {
  double sm_mhz = 0;
  double pause_us = 0;  ///< the longest that the kernel stood still: another context ran
  double wait_us = 0;   ///< of the host, for all but what the kernel took itself: its start, and its readings
};

/// Cycles a microsecond. Error "clocks" when either clock did not advance.
[[nodiscard]] Expected<double> clock_mhz(const ClockTicks& ticks);

/// Measures the SM clock with a kernel of its own: one thread reads %clock64 at two ticks of %globaltimer about 150 us
/// apart. At a tick, because %globaltimer steps by up to a microsecond.
class ClockMeter {
 public:
  explicit ClockMeter(const Driver& driver) : driver_(driver), ticks_(driver) {}
  ClockMeter(const ClockMeter&) = delete;
  ClockMeter& operator=(const ClockMeter&) = delete;
  ~ClockMeter();

  /// Errors: "clock" when the driver cannot compile the kernel's PTX, "clocks", "fault".
  [[nodiscard]] Expected<ClockLook> measure(std::uint64_t duration_ns = 150'000);

 private:
  [[nodiscard]] Expected<void> load();

  const Driver& driver_;
  DeviceBuffer ticks_;
  CUmodule module_ = nullptr;
  CUfunction kernel_ = nullptr;
};

}  // namespace warpclock
