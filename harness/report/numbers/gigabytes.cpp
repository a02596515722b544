#include <algorithm>

#include "gpu/job/statistics.hpp"
#include "report/numbers/figures.hpp"

namespace warpclock {

std::optional<double> gigabytes_per_second(double rate, const std::string& unit, int sms, double sm_mhz) {
  if (unit != rate_unit || sms <= 0 || !(sm_mhz > 0)) return std::nullopt;
  return rate * sms * sm_mhz / 1e3;
}

std::optional<double> gigabytes_per_second(const ProbeOutline& probe, const CaseRecord& row, const Estimate& estimate) {
  return gigabytes_per_second(estimate.value, estimate.unit, probe.sms, row.clock.sm_mhz);
}

bool has_gigabytes(const ProbeOutline& probe, const std::string& name) {
  return std::ranges::any_of(probe.cases, [&](const CaseRecord* row) {
    const Estimate* estimate = published(*row, name);
    return estimate != nullptr && gigabytes_per_second(probe, *row, *estimate).has_value();
  });
}

double clock_around(const Feature& feature, const std::vector<const CaseRecord*>& cases) {
  std::vector<double> clocks;
  for (const CaseRecord* row : cases) {
    if (row->probe != feature.probe || row->outcome != Outcome::Measured || !(row->clock.sm_mhz > 0)) continue;
    const bool same = std::ranges::all_of(feature.parameters, [&](const auto& parameter) {
      const Value* value = find(row->parameters, parameter.first);
      return value != nullptr && *value == parameter.second;
    });
    if (same) clocks.push_back(row->clock.sm_mhz);
  }
  std::ranges::sort(clocks);
  return clocks.empty() ? 0 : median(clocks);
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

std::string gigabytes_text(double value) {
  constexpr double whole = 1000;
  return fixed(value, value < whole ? 1 : 0) + " GB/s";
}

}  // namespace warpclock
