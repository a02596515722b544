#include "capture/launch_ranges.hpp"

#include <algorithm>
#include <utility>

#include "base/lookup.hpp"
#include "capture/predict_capture.hpp"
#include "predict/memory/memory_plan.hpp"
#include "predict/prepared_kernel.hpp"

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

/// How many launches ago one last accessed a range: one that had its pointer, or one that had a pointer below it and
/// accessed that far. 0: none did.
std::int64_t last_access(const AccessedRange& range, const std::vector<const AccessedRanges*>& before) {
  if (!range.below || range.below->ago > std::ssize(before)) return range.ago.value_or(0);
  const double end = static_cast<double>(range.below->bytes) + range.bytes;
  const auto reaches = [&](const auto& one) { return one.second.bytes >= end; };
  const bool inside = std::ranges::any_of(*before[static_cast<std::size_t>(range.below->ago) - 1], reaches);
  return inside ? range.below->ago : range.ago.value_or(0);
}

}  // namespace

bool code_is_gone(const Capture& capture, std::size_t launch, const std::function<double(std::int64_t)>& code_bytes,
                  double room) {
  constexpr int most = 4096;
  const std::int64_t kernel = capture.launches[launch].kernel;
  double held = code_bytes(kernel);
  std::set<std::int64_t> met;
  auto at = capture.launches[launch].after;
  for (int step = 0; step < most && at && held <= room; ++step) {
    const CapturedLaunch& before = capture.launches[static_cast<std::size_t>(*at)];
    if (before.kernel == kernel) return false;
    if (met.insert(before.kernel).second) held += code_bytes(before.kernel);
    at = before.after;
  }
  return held > room;
}

LeftInL2 left_in_l2(const Capture& capture, std::size_t launch, const RangesOfLaunch& ranges, double l2_bytes) {
  if (l2_bytes <= 0 || !capture.launches[launch].after) return {};
  const AccessedRanges& own = ranges(launch);
  const auto before = launches_before(capture, launch, ranges, l2_bytes);
  LeftInL2 left;
  for (const auto& [number, range] : own) {
    if (!range.ago) continue;
    double& part = left.parts[number];
    const std::int64_t ago = last_access(range, before);
    if (ago <= 0 || ago > std::ssize(before)) continue;
    const AccessedRanges& last = *before[static_cast<std::size_t>(ago) - 1];
    // Both launches access what they have in common in the course of their time.
    const double both = held_by(own) + held_by(last);
    part = 1 - lost_of_l2(between(before, ago) + both / 2, l2_bytes);
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

bool is_of_the_moment(const Error& error) {
  return error.code == "io" || error.code == "process" || error.code == ErrorCode::Closed ||
         error.code == ErrorCode::Timeout || error.code == "exception";
}

LaunchRanges::LaunchRanges(const Capture& capture, std::filesystem::path folder)
    : capture_(capture), folder_(std::move(folder)) {
  for (const CapturedLaunch& launch : capture.launches) {
    for (const CapturedPointer& one : launch.pointers) pointers_.insert(one.buffer + one.offset);
  }
}

Expected<AccessedRanges> LaunchRanges::of(std::size_t launch, const Expected<LoadedKernel>& kernel,
                                          const Machine& machine) const {
  const CapturedLaunch& one = capture_.launches[launch];
  auto ranges = caught("", [&]() -> Expected<AccessedRanges> {
    if (!kernel) return std::unexpected(kernel.error());
    return executed(one, *kernel, machine);
  });
  // A number must not depend on what the machine lacked for a moment.
  if (!ranges && is_of_the_moment(ranges.error())) return ranges;
  return ranges ? *std::move(ranges) : by_pointers(one, static_cast<double>(machine.stated.l2_bytes));
}

Expected<AccessedRanges> LaunchRanges::executed(const CapturedLaunch& launch, const LoadedKernel& kernel,
                                                const Machine& machine) const {
  const PredictOptions options = WARPCLOCK_TRY(options_of(launch, kernel.facts, folder_));
  const AccessedBuffers accessed = WARPCLOCK_TRY(accessed_by(kernel, machine, options));
  AccessedRanges ranges;
  for (const LaunchBuffer& buffer : options.shape.buffers) {
    const auto one = accessed.find(buffer.argument);
    if (one == accessed.end() || one->second.bytes < 1) continue;
    const auto begins = [&](const CapturedPointer& pointer) {
      return static_cast<std::uint64_t>(pointer.buffer + pointer.offset) == buffer.address;
    };
    const auto pointer = std::ranges::find_if(launch.pointers, begins);
    AccessedRange& range = ranges[buffer.argument];
    range = {.bytes = one->second.bytes, .stored = one->second.stored};
    if (pointer == launch.pointers.end()) continue;
    range.ago = pointer->ago, range.below = pointer->below, range.address = pointer->buffer + pointer->offset;
  }
  return ranges;
}

AccessedRanges LaunchRanges::by_pointers(const CapturedLaunch& launch, double l2_bytes) const {
  AccessedRanges ranges;
  for (const CapturedPointer& one : launch.pointers) {
    const std::int64_t begin = one.buffer + one.offset, last = one.buffer + one.buffer_bytes;
    const auto next = pointers_.upper_bound(begin);
    const std::int64_t end = next == pointers_.end() ? last : std::min(last, *next);
    const auto bytes = static_cast<double>(end - begin);
    if (bytes <= l2_bytes) ranges[-1 - static_cast<int>(ranges.size())] = {bytes, 0, one.ago, begin, one.below};
  }
  return ranges;
}

}  // namespace warpclock
