#include "capture/l2_left.hpp"

#include <algorithm>
#include <iterator>

#include "predict/memory/memory_plan.hpp"

namespace warpclock {
namespace {

/// Addresses, as intervals that do not meet: the end of each by its begin.
class Addresses {
 public:
  void add(std::int64_t begin, std::int64_t end) {
    if (begin >= end) return;
    take(begin, end);
    intervals_[begin] = end;
  }

  /// Takes these away, and returns how many of them were there.
  std::int64_t take(std::int64_t begin, std::int64_t end) {
    std::int64_t taken = 0;
    auto at = intervals_.upper_bound(begin);
    if (at != intervals_.begin()) --at;
    while (at != intervals_.end() && at->first < end) {
      const auto [first, last] = *at;
      const std::int64_t from = std::max(first, begin), to = std::min(last, end);
      if (from >= to) {
        ++at;
        continue;
      }
      taken += to - from;
      at = intervals_.erase(at);
      if (first < from) intervals_[first] = from;
      if (to < last) at = intervals_.emplace(to, last).first;
    }
    return taken;
  }

  [[nodiscard]] bool empty() const { return intervals_.empty(); }

 private:
  std::map<std::int64_t, std::int64_t> intervals_;
};

double held_by(const AccessedRanges& ranges) {
  double held = 0;
  for (const auto& [number, range] : ranges) held += range.in_halves;
  return held;
}

}  // namespace

LeftInL2 left_in_l2(const Capture& capture, std::size_t launch, const RangesOfLaunch& ranges, double l2_bytes) {
  constexpr int most_before = 4096;
  if (l2_bytes <= 0 || !capture.launches[launch].after) return {};
  const AccessedRanges& own = ranges(launch);
  LeftInL2 left;
  std::map<int, Addresses> wanted;
  for (const auto& [number, range] : own) {
    left.parts[number] = 0;
    wanted[number].add(range.begin, range.begin + range.bytes);
  }
  Addresses seen;
  double between = 0;
  auto at = capture.launches[launch].after;
  for (int step = 0; step < most_before && at; ++step) {
    const auto earlier = static_cast<std::size_t>(*at);
    const AccessedRanges& before = ranges(earlier);
    // Both launches access what they have in common in the course of their time.
    const double lost = lost_of_l2(between + (held_by(before) + held_by(own)) / 2, l2_bytes);
    if (lost_of_l2(between, l2_bytes) >= 1) break;
    for (const auto& [number, range] : before) {
      const std::int64_t end = range.begin + range.bytes;
      for (auto& [wanted_number, addresses] : wanted)
        left.parts[wanted_number] += (1 - lost) * static_cast<double>(addresses.take(range.begin, end));
    }
    for (const auto& [number, range] : before) {
      const std::int64_t end = range.begin + range.bytes, again = seen.take(range.begin, end);
      seen.add(range.begin, end);
      const double added =
          range.bytes > 0 ? static_cast<double>(range.bytes - again) / static_cast<double>(range.bytes) : 0;
      between += range.in_halves * added;
      left.stored += range.stored * added;
    }
    at = capture.launches[earlier].after;
  }
  for (auto& [number, bytes] : left.parts) {
    const std::int64_t all = own.at(number).bytes;
    bytes = all > 0 ? bytes / static_cast<double>(all) : 1;
  }
  return left;
}

}  // namespace warpclock
