#include "gpu/launch/sharing.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"
#include "gpu/job/statistics.hpp"

namespace warpclock {
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
