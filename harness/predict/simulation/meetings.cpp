#include "predict/simulation/meetings.hpp"

#include <algorithm>
#include <utility>

namespace warpclock {

void Meetings::begin(int block) {
  Block& made = blocks_[static_cast<std::size_t>(block)] = {};
  // Blocks of a cluster do the same, so that its last warps come when those of this block do.
  made.mbarriers.meet({.kind = Meeting::Kind::Initialize,
                       .place = cluster_barrier,
                       .arrivals = static_cast<std::uint32_t>(options_.block_warps)},
                      0);
  released_ = true;
}

bool Meetings::take_released() { return std::exchange(released_, false); }

void Meetings::meet(WarpState& warp, const ProgramStep& step, double now, double copied) {
  if (step.act == Act::Gather) return gather(warp, now);
  if (!warp.stream) {
    const bool waits = step.act == Act::Barrier;
    if (waits || step.act == Act::Arrive) arrive(warp, step.barrier, step.barrier_warps, waits, now);
    return;
  }
  constexpr std::uint32_t warp_threads = 32;
  Block& block = block_of(warp);
  bool ended = false;
  for (const Meeting& one : warp.stream->meetings()) {
    if (one.kind == Meeting::Kind::Barrier) {
      const auto warps = static_cast<int>(one.arrivals / warp_threads);
      arrive(warp, one.place % barrier_count, warps, step.act == Act::Barrier, now);
    } else if (one.kind == Meeting::Kind::Await) {
      warp.awaited.push_back({one.place, one.parity});
      warp.awaits = warp.at;
    } else if (one.kind != Meeting::Kind::Store) {
      ended |= block.mbarriers.meet(one, one.kind == Meeting::Kind::Copy ? copied : now);
    }
  }
  go_on(warp, block);
  if (ended) wake(warp.block);
}

void Meetings::arrive(WarpState& warp, std::size_t number, int warps, bool waits, double now) {
  Barrier& barrier = block_of(warp).barriers[number];
  barrier_free_ = std::max(barrier_free_, now) + options_.barrier_each;
  barrier.last = std::max(barrier.last, barrier_free_);
  barrier.warps = warps;
  ++barrier.arrived;
  if (waits) warp.barrier = static_cast<int>(number);
  release(warp.block);
}

/// Lets the warps go on if all have arrived that are expected.
void Meetings::release(int number) {
  Block& block = blocks_[static_cast<std::size_t>(number)];
  for (std::size_t b = 0; b < barrier_count; ++b) {
    Barrier& barrier = block.barriers[b];
    const int wanted = barrier.warps > 0 ? barrier.warps : options_.block_warps - block.left;
    if (barrier.arrived == 0 || barrier.arrived < wanted) continue;
    for (WarpState& warp : warps_) {
      if (warp.block != number || warp.barrier != static_cast<int>(b)) continue;
      warp.barrier = -1;
      warp.ready = std::max(warp.ready, barrier.last + options_.barrier_fixed);
      settle(warp, program_);
    }
    barrier = {};
    released_ = true;
  }
}

std::size_t Meetings::group_of(const WarpState& warp) const {
  return static_cast<std::size_t>(warp.id % options_.block_warps) / static_cast<std::size_t>(group_warps) % most_groups;
}

void Meetings::gather(WarpState& warp, double now) {
  const std::size_t group = group_of(warp);
  Barrier& meeting = block_of(warp).groups[group];
  meeting.last = std::max(meeting.last, now);
  ++meeting.arrived;
  warp.barrier = static_cast<int>(barrier_count + group);
  release_group(warp.block, group);
}

/// Lets the warps go on if all of the group have arrived that have not ended.
void Meetings::release_group(int number, std::size_t group) {
  Barrier& meeting = blocks_[static_cast<std::size_t>(number)].groups[group];
  const auto is_in = [&](const WarpState& one) { return one.block == number && group_of(one) == group && !one.done; };
  if (meeting.arrived == 0 || meeting.arrived < std::ranges::count_if(warps_, is_in)) return;
  for (WarpState& warp : warps_) {
    if (!is_in(warp) || warp.barrier != static_cast<int>(barrier_count + group)) continue;
    warp.barrier = -1;
    warp.ready = std::max(warp.ready, meeting.last + 1);
    settle(warp, program_);
  }
  meeting = {};
  released_ = true;
}

bool Meetings::leave(WarpState& warp) {
  Block& block = block_of(warp);
  if (++block.left == options_.block_warps) return true;
  release(warp.block);
  release_group(warp.block, group_of(warp));
  return false;
}

/// The answer comes when the phases have ended. The scoreboard of the wait signals it; that of a cluster has none.
bool Meetings::go_on(WarpState& warp, Block& block) {
  if (warp.awaited.empty()) return false;
  const ProgramStep& step = program_.steps[warp.awaits];
  std::erase_if(warp.awaited, [&](const MbarrierPhase& one) {
    const auto ended = block.mbarriers.ended(one);
    if (ended && step.write >= 0) {
      double& signalled = warp.released[static_cast<std::size_t>(step.write)];
      signalled = std::max(signalled, *ended + (step.sleeps ? options_.woken : options_.found));
    } else if (ended) {
      warp.ready = std::max(warp.ready, *ended + step.distance);
    }
    return ended.has_value();
  });
  return warp.awaited.empty();
}

void Meetings::wake(int number) {
  Block& block = blocks_[static_cast<std::size_t>(number)];
  for (WarpState& warp : warps_) {
    if (warp.block != number || !go_on(warp, block)) continue;
    warp.woken = true;
    settle(warp, program_);
    released_ = true;
  }
}

bool Meetings::takes_share(const WarpState& warp, const ProgramStep& step) {
  constexpr double whole = 1 - 1e-9;
  auto& sums = shares_[warp.at];
  sums.resize(step.taken.size());
  const auto which = static_cast<std::size_t>(warp.id % options_.block_warps) % sums.size();
  sums[which] += step.taken[which];
  if (sums[which] < whole) return false;
  sums[which] -= 1;
  return true;
}

std::optional<std::size_t> Meetings::next_of(WarpState& warp, const ProgramStep& step) {
  if (warp.stream) return warp.stream->next() ? std::optional(warp.stream->at()) : std::nullopt;
  const std::size_t next = warp.at + 1;
  const bool goes = step.decision == Decision::Share                                 ? takes_share(warp, step)
                    : step.act == Act::Jump || step.decision == Decision::LeaveAfter ? takes_jump(warp, step)
                                                                                     : step.act == Act::Leave;
  if (!goes) return next;
  return step.act == Act::Leave ? std::nullopt : step.target;
}

}  // namespace warpclock
