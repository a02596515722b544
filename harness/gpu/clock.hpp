#pragma once

#include <cstdint>

#include "base/error.hpp"
#include "gpu/driver.hpp"
#include "gpu/memory.hpp"

namespace warpclock {

/// The readings of both clocks at two ticks of %globaltimer.
struct ClockTicks {
  std::uint64_t first_cycle = 0, first_ns = 0, last_cycle = 0, last_ns = 0;
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

  /// Megahertz. Errors: "clock" when the driver cannot compile the kernel's PTX, "clocks", "fault".
  [[nodiscard]] Expected<double> measure();

 private:
  [[nodiscard]] Expected<void> load();

  const Driver& driver_;
  DeviceBuffer ticks_;
  CUmodule module_ = nullptr;
  CUfunction kernel_ = nullptr;
};

}  // namespace warpclock
