#include "predict/simulation/path_state.hpp"

#include <algorithm>

namespace warpclock {

double PathState::take(int unit, double from, double busy) {
  double& free = free_[static_cast<std::size_t>(unit)];
  const double begun = std::max(from, free);
  free = begun + busy;
  busy_[static_cast<std::size_t>(unit)] += busy;
  return begun;
}

/// Load / (1 - load) of a path. The load is that since the start: over a shorter time, warps that load together would
/// look like a full path.
double PathState::waiting(int unit, double now) const {
  constexpr double start = 1000, fullest = 0.95;
  const double share = std::min(busy_[static_cast<std::size_t>(unit)] / (now + start), fullest);
  return share / (1 - share);
}

/// Cycles that bytes written to DRAM take longer because others are read at the same time: as many as have been read
/// since it was last idle.
double PathState::turned(const PathCost& cost, double from) {
  if (cost.level != MemoryLevel::Dram) return 0;
  if (from > reads_.until) reads_.bytes = 0;
  if (!cost.write) {
    reads_.bytes += cost.bytes;
    return 0;
  }
  const double both = std::min(reads_.bytes, cost.bytes);
  reads_.bytes -= both;
  return both * shared_.mixed;
}

double PathState::pass(const PathStep& path, double from, double now, double times) {
  PathCost cost = path.cost;
  cost.bytes *= times, cost.busy *= times, cost.asked *= times;
  const bool dram = cost.level == MemoryLevel::Dram;
  if (dram && cost.write) {
    // L2 holds what is stored until it holds too much.
    const double written = std::clamp(held_ + cost.bytes - shared_.held, 0.0, cost.bytes);
    held_ += cost.bytes - written;
    cost.busy *= cost.bytes > 0 ? written / cost.bytes : 0;
    cost.bytes = written;
  }
  // Whoever waits for this SM's part of the path does not wait for the other SMs again.
  const double wait = cost.queued * waiting(path.unit, now), busy = cost.busy + turned(cost, from);
  const double begun = std::max(from + wait, take(path.unit, from, busy));
  if (path.asks >= 0) take(path.asks, from, cost.asked);
  if (dram && !cost.write) reads_.until = begun + busy;
  if (cost.write && busy > 0) drained_ = std::max(drained_, begun + busy);
  if (dram && !cost.write && held_ > 0) {
    // The sectors that are loaded take the place of such lines.
    const PathCost back{.level = cost.level, .write = true, .bytes = std::min(held_, cost.bytes)};
    held_ -= back.bytes;
    take(path.unit, from, back.bytes * shared_.written_back + turned(back, from));
  }
  return from + cost.part * (begun - from);
}

}  // namespace warpclock
