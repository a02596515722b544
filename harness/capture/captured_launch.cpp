#include "capture/captured_launch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "capture/capture_file.hpp"

namespace warpclock {
namespace {

/// Pointers by their addresses, of one allocation.
using Places = std::map<std::int64_t, const CapturedPointer*>;

void take_extents(const CapturedLaunch& launch, PredictOptions& what) {
  const auto at = [](const std::vector<std::int64_t>& extents, std::size_t axis) {
    return static_cast<int>(std::min<std::int64_t>(extents[axis], std::numeric_limits<int>::max()));
  };
  for (std::size_t axis = 0; axis < 3; ++axis)
    what.shape.grid[axis] = at(launch.grid, axis), what.shape.block[axis] = at(launch.block, axis);
  what.blocks = launch.grid[0] * launch.grid[1] * launch.grid[2];
  what.threads = what.shape.threads();
  what.dynamic_bytes = launch.shared_bytes;
}

Expected<void> take_parameters(const CapturedLaunch& launch, const KernelFacts& facts, PredictOptions& what) {
  for (std::size_t i = 0; i < facts.parameters.size(); ++i) {
    const ParameterPlace place = facts.parameters[i];
    const auto found = std::ranges::find(launch.parameters, place.at, &CapturedParameter::at);
    auto bytes = found == launch.parameters.end() ? std::nullopt : bytes_of_hex(found->bytes);
    if (!bytes || std::ssize(*bytes) != place.bytes)
      return fail("capture", fmt::format("the launch has no parameter of {} bytes at {}, which the kernel has",
                                         place.bytes, place.at));
    what.shape.arguments.push_back({.number = static_cast<int>(i), .bytes = *std::move(bytes)});
  }
  return {};
}

constexpr const char* repeated = "beyond what was kept of it, a buffer holds the same again";

/// Adds the buffers of one allocation: before the first pointer, and from each on.
Expected<void> add_allocation(const Places& places, const std::filesystem::path& folder, PredictOptions& what) {
  const CapturedPointer& any = *places.begin()->second;
  const std::int64_t end = any.buffer + any.buffer_bytes;
  std::vector<LaunchBuffer>& buffers = what.shape.buffers;
  const auto add = [&](std::int64_t begin, std::int64_t next, std::string contents) {
    if (begin >= next) return;
    if (std::ssize(contents) > next - begin) contents.resize(static_cast<std::size_t>(next - begin));
    if (!contents.empty() && std::ssize(contents) < next - begin) what.assumed = {repeated};
    buffers.push_back({.argument = static_cast<int>(buffers.size()),
                       .address = static_cast<std::uint64_t>(begin),
                       .bytes = next - begin,
                       .contents = std::move(contents),
                       .part = true});
  };
  add(any.buffer, places.begin()->first, {});
  for (auto at = places.begin(); at != places.end(); ++at) {
    const auto next = std::next(at);
    std::string contents;
    if (!at->second->data.empty()) contents = WARPCLOCK_TRY(read_kept(folder, capture_data, at->second->data));
    add(at->first, next == places.end() ? end : next->first, std::move(contents));
  }
  return {};
}

}  // namespace

Expected<PredictOptions> options_of(const CapturedLaunch& launch, const KernelFacts& facts,
                                    const std::filesystem::path& folder) {
  if (!launch.missing.empty()) return fail("capture", launch.missing);
  PredictOptions what;
  take_extents(launch, what);
  WARPCLOCK_TRY(take_parameters(launch, facts, what));
  for (std::size_t axis = 0; axis < launch.cluster.size(); ++axis)
    what.shape.cluster[axis] = static_cast<std::uint32_t>(launch.cluster[axis]);
  std::map<std::int64_t, Places> allocations;
  for (const CapturedPointer& one : launch.pointers) {
    const CapturedPointer*& held = allocations[one.buffer][one.buffer + one.offset];
    if (held == nullptr || held->data.empty()) held = &one;
  }
  for (const auto& [base, places] : allocations) WARPCLOCK_TRY(add_allocation(places, folder, what));
  return what;
}

}  // namespace warpclock
