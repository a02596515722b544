#include "capture/l2_left.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <vector>

#include "predict/memory/memory_plan.hpp"

namespace warpclock {
namespace {

double held_by(const AccessedRanges& ranges) {
  double held = 0;
  for (const auto& [number, range] : ranges) held += range.bytes;
  return held;
}

/// The launches before one, the last one first, as far as L2 may have anything of them. Launches after which most often
/// the same ones began lead back to themselves for ever: after a few times nothing is known of what came before.
std::vector<const AccessedRanges*> launches_before(const Capture& capture, std::size_t launch,
                                                   const RangesOfLaunch& ranges, double l2_bytes) {
  constexpr std::size_t most = 4096;
  constexpr double again = 4;  // what is accessed again takes no more room
  std::vector<const AccessedRanges*> before;
  double held = 0;
  std::map<std::int64_t, int> met;
  constexpr int most_times = 8;
  for (auto at = capture.launches[launch].after;
       at && before.size() < most && held < again * l2_bytes && ++met[*at] <= most_times;
       at = capture.launches[static_cast<std::size_t>(*at)].after) {
    before.push_back(&ranges(static_cast<std::size_t>(*at)));
    held += held_by(*before.back());
  }
  return before;
}

/// What launches accessed since the one that was `ago` launches before.
double between(const std::vector<const AccessedRanges*>& before, std::int64_t ago) {
  double bytes = 0;
  for (std::int64_t step = 1; step < ago; ++step) {
    for (const auto& [number, range] : *before[static_cast<std::size_t>(step) - 1]) {
      const bool counted = range.ago.value_or(0) > 0 && step + *range.ago < ago;
      if (!counted) bytes += range.bytes;
    }
  }
  return bytes;
}

/// Whether a launch stored what another one accesses: from the same address, or, because launches that differ in
/// addresses alone are one, at least half as many bytes.
bool has_stored(const AccessedRanges& launch, const AccessedRange& accessed) {
  for (const auto& [number, one] : launch)
    if (one.address != 0 && one.address == accessed.address) return one.stored > 0;
  return std::ranges::any_of(launch, [&](const auto& one) { return 2 * one.second.stored >= accessed.bytes; });
}

}  // namespace

LeftInL2 left_in_l2(const Capture& capture, std::size_t launch, const RangesOfLaunch& ranges, double l2_bytes) {
  if (l2_bytes <= 0 || !capture.launches[launch].after) return {};
  const AccessedRanges& own = ranges(launch);
  const auto before = launches_before(capture, launch, ranges, l2_bytes);
  LeftInL2 left;
  for (const auto& [number, range] : own) {
    if (!range.ago) continue;
    double& part = left.parts[number];
    if (*range.ago <= 0 || *range.ago > std::ssize(before)) continue;
    const AccessedRanges& last = *before[static_cast<std::size_t>(*range.ago) - 1];
    // Both launches access what they have in common in the course of their time.
    const double both = held_by(own) + held_by(last);
    part = 1 - lost_of_l2(between(before, *range.ago) + both / 2, l2_bytes);
    if (has_stored(last, range)) left.apart[number] = part;
  }
  double held = 0;
  for (const AccessedRanges* const one : before) {
    if (held >= l2_bytes) break;
    held += held_by(*one);
    for (const auto& [number, range] : *one) left.stored += range.stored;
  }
  return left;
}

}  // namespace warpclock
