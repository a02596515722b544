#include "predict/simulation/path_state.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "predict/program/costs.hpp"

namespace warpclock {
namespace {

/// Cycles that are added to the time over which a load is taken.
constexpr double start = 1000;

/// 1 + 1/2 + … + 1/lines: of times with an exponential distribution and a mean of 1, the mean of the last.
double mean_of_last(double lines) {
  const double whole = std::floor(lines);
  double last = (lines - whole) / (whole + 1);
  for (int line = 1; line <= static_cast<int>(whole); ++line) last += 1.0 / line;
  return last;
}

}  // namespace

double PathState::take(int unit, double from, double busy, bool writes, double lent) {
  const auto of = static_cast<std::size_t>(unit);
  double &free = free_[of], &read = read_[of];
  if (writes) {
    // It has its place behind what is to be read, and writes when its data come.
    const double begun = std::max(from, read);
    free = std::max(begun, free) + busy;
    (unit == operands_ ? written_ : busy_[of]) += busy;
    return begun;
  }
  const double begun = std::max(from, free);
  free = read = unit == operands_ ? served(begun, busy) : std::max(free, from - lent) + busy;
  busy_[of] += busy;
  return begun;
}

void PathState::hold(int unit, double until) {
  const auto of = static_cast<std::size_t>(unit);
  free_[of] = std::max(free_[of], until), read_[of] = std::max(read_[of], until);
}

std::vector<double> PathState::busy() const {
  std::vector<double> all = busy_;
  if (operands_ >= 0) all[static_cast<std::size_t>(operands_)] += std::max(written_, operated_);
  return all;
}

void PathState::forget(double before) {
  std::erase_if(reserved_, [&](const Reserved& one) { return one.until <= before; });
}

double PathState::multiply(double now, double from, double busy, double turns) {
  double &free = free_[static_cast<std::size_t>(operands_)], &read = read_[static_cast<std::size_t>(operands_)];
  const double of_warp = turns / group_warps, waiting = std::max(0.0, read - from);
  operated_ += of_warp;
  forget(now);
  const double until = from + std::max(busy, turns + std::min(waiting, turns));
  if (until <= from) return from;
  // What waits gets the turns that are left, three of four at least.
  const double part = of_warp / (until - from);
  if (waiting > 0) {
    const double later = std::min(waiting * part / (1 - part), of_warp);
    read += later, free += later;
  }
  if (until > read) reserved_.push_back({std::max(from, read), until, part});
  return until;
}

double PathState::served(double from, double busy) {
  forget(from);
  while (busy > 0) {
    double left = 1, next = std::numeric_limits<double>::infinity();
    for (const Reserved& one : reserved_) {
      if (one.until <= from) continue;
      if (one.from <= from) left -= one.part;
      next = std::min(next, one.from > from ? one.from : one.until);
    }
    left = std::max(0.0, left);
    if (left * (next - from) >= busy) return from + busy / left;
    busy -= left * (next - from);
    from = next;
  }
  return from;
}

/// Load / (1 - load) of a path. The load is that since the start: over a shorter time, warps that load together would
/// look like a full path.
double PathState::waiting(int unit, double fullest, double now) const {
  constexpr double most = 0.95;
  const double share = std::min(fullest * busy_[static_cast<std::size_t>(unit)] / (now + start), most);
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

double PathState::drawn(std::uint64_t place) {
  const std::uint64_t bits = place == 0 ? dice_.bits() : SplitMix64(place).bits();
  return (static_cast<double>(bits >> 11) + 0.5) * 0x1p-53;
}

/// Of what a warp asks for, the last counts, which lines next to those before do not change. Times are drawn: warps
/// that wait for each other, or for a pipe, lose what means do not show. Who waits for DRAM's rate has waited
/// meanwhile.
double PathState::answered(const PathCost& cost, double from, double begun, double wait, double now, DramBurst& burst,
                           const DramPlace& place) {
  if (now >= burst.until) burst = {};
  const bool first = burst.lines == 0;
  const double lines = first ? std::max(1.0, cost.dram.lines) : cost.dram.lines;
  burst.lines += lines;
  const DramTimes& times = cost.dram.times;
  if (lines > 0) {
    const DramDraw draw{drawn(place.half), drawn(place.late)};
    burst.far |= times.is_far(draw, first ? std::max(1.0, cost.dram.halves) : cost.dram.halves);
    burst.late = std::max(burst.late, times.late(draw, lines));
  }
  const double own = from + wait * std::sqrt(mean_of_last(burst.lines)) + burst.late;
  const double come = std::max(own, begun) + times.least + (burst.far ? times.across : 0);
  if (first) burst.until = come;
  return from + cost.part * (come - from);
}

double PathState::pass(const PathStep& path, double from, double now, double times, DramBurst& burst,
                       const DramPlace& place) {
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
  const double busy = cost.busy + turned(cost, from);
  const double wait =
      cost.queued * waiting(path.unit, cost.fullest, now) + cost.dram.writes * dram_writes_ / (now + start);
  const double taken = take(path.unit, from, busy, false, cost.lent);
  // Whoever waits for this SM's part of the path does not wait for the other SMs again.
  const double begun = std::max(from + wait, taken);
  if (path.asks >= 0) take(path.asks, from, cost.asked);
  if (dram && !cost.write) reads_.until = begun + busy;
  if (cost.atomic) {
    reduced_ = std::max(reduced_, begun + busy);
    if (path.holds >= 0) hold(path.holds, begun + busy - cost.under_way);
    return from + cost.part * (begun - from);
  }
  if (cost.write && busy > 0) drained_ = std::max(drained_, begun + busy);
  if (dram && cost.write) dram_writes_ += busy;
  if (dram && !cost.write && held_ > 0) {
    // The sectors that are loaded take the place of such lines.
    const PathCost back{.level = cost.level, .write = true, .bytes = std::min(held_, cost.bytes)};
    held_ -= back.bytes;
    const double writing = back.bytes * shared_.written_back + turned(back, from);
    take(path.unit, from, writing, false, cost.lent);
    dram_writes_ += writing;
  }
  if (cost.dram.times.vary()) return answered(cost, from, taken, wait, now, burst, place);
  return from + cost.part * (begun - from);
}

}  // namespace warpclock
