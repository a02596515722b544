#include "gpu/job/samples.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "gpu/job/statistics.hpp"

namespace warpclock {

bool SmClock::moved() const {
  constexpr double steady = 0.005;
  return low > 0 && high - low > steady * low;
}

SmClock sm_clock(const ClockReading& clock) {
  const bool moved = clock.sm_low_mhz > 0 && clock.sm_high_mhz > 0;
  return {clock.sm_mhz, moved ? clock.sm_low_mhz : clock.sm_mhz, moved ? clock.sm_high_mhz : clock.sm_mhz};
}

std::optional<double> mean_power_w(const ClockReading& clock) {
  if (!(clock.energy_j > 0) || !(clock.energy_s > 0)) return std::nullopt;
  return clock.energy_j / clock.energy_s;
}

bool TimerRatio::differs() const {
  constexpr double tolerance = 0.001, well_known = tolerance / 2;
  return seconds > 0 && error <= well_known && std::abs(ratio - 1) > tolerance + error;
}

Expected<std::vector<double>> block_cycles(std::span<const std::uint64_t> clocks, std::int64_t warps) {
  if (warps < 1 || clocks.size() % static_cast<std::size_t>(2 * warps) != 0) {
    return fail("clocks", fmt::format("{} clock readings do not divide into blocks of {} warps", clocks.size(), warps));
  }
  const auto stride = static_cast<std::size_t>(2 * warps);
  std::vector<double> blocks;
  blocks.reserve(clocks.size() / stride);
  for (std::size_t block = 0; block < clocks.size(); block += stride) {
    std::uint64_t opened = ~std::uint64_t{0};
    std::uint64_t closed = 0;
    for (std::size_t w = block; w < block + stride; w += 2) {
      if (clocks[w] == 0 && clocks[w + 1] == 0) continue;
      if (clocks[w + 1] < clocks[w]) {
        return fail("clocks", fmt::format("warp {} of block {} closed its window at {} before it opened it at {}",
                                          (w - block) / 2, block / stride, clocks[w + 1], clocks[w]));
      }
      opened = std::min(opened, clocks[w]);
      closed = std::max(closed, clocks[w + 1]);
    }
    blocks.push_back(closed != 0 ? static_cast<double>(closed - opened) : 0);
  }
  return blocks;
}

Expected<double> launch_cycles(std::span<const std::uint64_t> clocks, std::int64_t warps) {
  auto blocks = WARPCLOCK_TRY(block_cycles(clocks, warps));
  if (std::ranges::all_of(clocks, [](std::uint64_t clock) { return clock == 0; })) {
    return fail("clocks", "the kernel recorded no clock reading");
  }
  std::erase(blocks, 0.0);
  return trimmed_mean(sorted_finite(std::move(blocks)), 4);
}

void append(Observation& to, Observation from) {
  for (Series& series : from.samples) {
    const auto same = std::ranges::find(to.samples, series.n, &Series::n);
    if (same == to.samples.end()) {
      to.samples.push_back(std::move(series));
    } else {
      same->cycles.insert(same->cycles.end(), series.cycles.begin(), series.cycles.end());
      for (const auto part : {&Series::longest, &Series::watts, &Series::window_s})
        ((*same).*part).insert(((*same).*part).end(), (series.*part).begin(), (series.*part).end());
    }
  }
  from.facts.merge(to.facts);
  to.facts = std::move(from.facts);
  if (!from.places.empty()) to.places = std::move(from.places);
  if (!from.counters.empty()) {
    to.counters = std::move(from.counters);
    to.counters_missing.clear();
  } else if (to.counters.empty() && !from.counters_missing.empty()) {
    to.counters_missing = std::move(from.counters_missing);
  }
  for (const std::string& reason : to.clock.throttle) {
    if (std::ranges::find(from.clock.throttle, reason) == from.clock.throttle.end()) {
      from.clock.throttle.push_back(reason);
    }
  }
  const SmClock one = sm_clock(to.clock), other = sm_clock(from.clock);
  const SmClock both{other.mhz, one.mhz > 0 ? std::min(one.low, other.low) : other.low, std::max(one.high, other.high)};
  to.clock = std::move(from.clock);
  if (both.moved()) to.clock.sm_low_mhz = both.low, to.clock.sm_high_mhz = both.high;
  to.timer = from.timer;
  to.board_w = std::max(to.board_w, from.board_w);
}

}  // namespace warpclock
