#include <fmt/format.h>

#include <algorithm>

#include "answer/numbers/figures.hpp"

namespace warpclock {

ClockedNumber at_clock(double at_a_megahertz, const SmClock& clock) {
  return {at_a_megahertz * clock.mhz, at_a_megahertz * clock.low, at_a_megahertz * clock.high, clock.moved()};
}

std::optional<ClockedNumber> nanoseconds(double cycles, const SmClock& clock) {
  if (!(clock.mhz > 0)) return std::nullopt;
  const double us = 1e3 * cycles;
  return ClockedNumber{us / clock.mhz, us / clock.high, us / clock.low, clock.moved()};
}

std::string clocked_text(const ClockedNumber& number, int decimals) {
  const std::string value = fixed(number.value, decimals);
  if (!number.moved) return value;
  return fmt::format("{} ({} to {})", value, fixed(number.low, decimals), fixed(number.high, decimals));
}

std::string clock_text(const SmClock& clock) {
  if (!(clock.mhz > 0)) return "\xE2\x80\x93";
  return clock.moved() ? fixed(clock.low, 0) + " to " + fixed(clock.high, 0) : fixed(clock.mhz, 0);
}

std::optional<ClockedNumber> gigabytes_per_second(double rate, const std::string& unit, int sms, const SmClock& clock) {
  if (unit != rate_unit || sms <= 0 || !(clock.mhz > 0)) return std::nullopt;
  return at_clock(rate * sms / 1e3, clock);
}

std::optional<ClockedNumber> gigabytes_per_second(const ProbeOutline& probe, const CaseRecord& row,
                                                  const Estimate& estimate) {
  return gigabytes_per_second(estimate.value, estimate.unit, probe.sms, sm_clock(row.clock));
}

bool has_gigabytes(const ProbeOutline& probe, const std::string& name) {
  return std::ranges::any_of(probe.cases, [&](const CaseRecord* row) {
    const Estimate* estimate = published(*row, name);
    return estimate != nullptr && gigabytes_per_second(probe, *row, *estimate).has_value();
  });
}

std::optional<double> memory_peak(const DeviceFacts& device) {
  if (device.memory_bus_bits <= 0 || !(device.memory_clock_max_mhz > 0)) return std::nullopt;
  constexpr double transfers = 2;
  return device.memory_bus_bits / 8.0 * device.memory_clock_max_mhz * transfers / 1e3;
}

void with_memory_limits(std::vector<Case>& cases, const DeviceFacts& device) {
  // Of data of a few times its size L2 holds a part from one pass to the next; of much larger data nothing.
  constexpr double least_sizes = 2, much_larger = 8, bytes_per_us = 1e3;  // bytes per microsecond in one GB/s
  const auto peak = memory_peak(device);
  if (!peak || device.sms <= 0 || device.l2_bytes <= 0) return;
  for (Case& one : cases) {
    const double held = static_cast<double>(device.l2_bytes) / static_cast<double>(one.data.bytes);
    if (held * least_sizes > 1 || one.data.peer) continue;
    for (Measure& measure : one.measures) {
      const double from_memory = held * much_larger > 1 ? 1 - held : 1;
      if (measure.limit.per_us) measure.limit.value = *peak * bytes_per_us / device.sms / from_memory;
    }
  }
}

std::string gigabytes_text(const ClockedNumber& number) {
  constexpr double whole = 1000;
  return clocked_text(number, number.value < whole ? 1 : 0) + " GB/s";
}

}  // namespace warpclock
