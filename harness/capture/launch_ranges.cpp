#include "capture/launch_ranges.hpp"

#include <algorithm>
#include <utility>

#include "base/error.hpp"
#include "capture/captured_launch.hpp"
#include "predict/prepared_kernel.hpp"

namespace warpclock {

LaunchRanges::LaunchRanges(const Capture& capture, std::filesystem::path folder)
    : capture_(capture), folder_(std::move(folder)) {
  for (const CapturedLaunch& launch : capture.launches) {
    for (const CapturedPointer& one : launch.pointers) pointers_.insert(one.buffer + one.offset);
  }
}

AccessedRanges LaunchRanges::of(std::size_t launch, const Expected<LoadedKernel>& kernel,
                                const Machine& machine) const {
  const CapturedLaunch& one = capture_.launches[launch];
  auto ranges = caught("", [&]() -> Expected<AccessedRanges> {
    if (!kernel) return std::unexpected(kernel.error());
    return executed(one, *kernel, machine);
  });
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
    range.ago = pointer->ago, range.address = pointer->buffer + pointer->offset;
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
    if (bytes <= l2_bytes) ranges[-1 - static_cast<int>(ranges.size())] = {bytes, 0, one.ago, begin};
  }
  return ranges;
}

}  // namespace warpclock
