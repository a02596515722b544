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
  if (step.act == Act::Gather) return arrive(warp, meeting_of(warp), 0, true, now);
  if (!warp.stream) {
    const bool waits = step.act == Act::Barrier;
    if (waits || step.act == Act::Arrive) arrive(warp, step.barrier, step.barrier_warps, waits, now);
    return;
  }
  constexpr std::uint32_t warp_threads = 32;
  Block& block = block_of(warp);
  bool ended = false;
  if (step.act != Act::Bulk) copied = std::max(now, warp.copied);
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

std::size_t Meetings::meeting_of(const WarpState& warp) const {
  const auto group = warp.of_block / static_cast<std::size_t>(group_warps);
  return barrier_count + group % most_groups;
}

void Meetings::arrive(WarpState& warp, std::size_t number, int warps, bool waits, double now) {
  Barrier& barrier = block_of(warp).barriers[number];
  if (number < barrier_count) now = barrier_free_ = std::max(barrier_free_, now) + options_.barrier_each;
  barrier.last = std::max(barrier.last, now);
  barrier.warps = warps;
  ++barrier.arrived;
  if (waits) warp.barrier = static_cast<int>(number);
  release(warp.block);
}

int Meetings::wanted(int number, std::size_t barrier) const {
  const Block& block = blocks_[static_cast<std::size_t>(number)];
  const int warps = block.barriers[barrier].warps;
  if (barrier < barrier_count) return warps > 0 ? warps : options_.block_warps - block.left;
  return static_cast<int>(std::ranges::count_if(warps_, [&](const WarpState& warp) {
    return warp.block == number && !warp.done && meeting_of(warp) == barrier;
  }));
}

/// Lets the warps go on if all have arrived that are expected.
void Meetings::release(int number) {
  Block& block = blocks_[static_cast<std::size_t>(number)];
  for (std::size_t b = 0; b < block.barriers.size(); ++b) {
    Barrier& barrier = block.barriers[b];
    if (barrier.arrived == 0 || barrier.arrived < wanted(number, b)) continue;
    for (WarpState& warp : warps_) {
      if (warp.block != number || warp.barrier != static_cast<int>(b)) continue;
      warp.barrier = -1;
      warp.ready = std::max(warp.ready, barrier.last + (b < barrier_count ? options_.barrier_fixed : 1));
      settle(warp, program_);
    }
    barrier = {};
    released_ = true;
  }
}

bool Meetings::leave(WarpState& warp) {
  Block& block = block_of(warp);
  if (++block.left == options_.block_warps) return true;
  release(warp.block);
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
  const auto which = warp.of_block % sums.size();
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
