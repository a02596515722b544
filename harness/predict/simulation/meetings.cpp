#include "predict/simulation/meetings.hpp"

#include <algorithm>
#include <bit>
#include <utility>

namespace warpclock {

Meetings::Meetings(const Program& program, const SimulationOptions& options, std::vector<WarpState>& warps,
                   Simulation& result)
    : program_(program),
      options_(options),
      warps_(warps),
      result_(result),
      blocks_(static_cast<std::size_t>(options.blocks)) {}

bool Meetings::take_released() { return std::exchange(released_, false); }

void Meetings::arrive(WarpState& warp, const ProgramStep& step, double now) {
  if (warp.values && warp.values->lanes_of(warp.at) == 0) return;
  std::size_t number = step.barrier;
  if (warp.values && program_.followed->names_barrier(warp.at)) {
    const auto known = warp.values->number(warp.at);
    if (!known) result_.not_followed.insert(warp.at);
    number = known.value_or(0) % barrier_count;
  }
  Barrier& barrier = block_of(warp).barriers[number];
  barrier_free_ = std::max(barrier_free_, now) + options_.barrier_each;
  barrier.last = std::max(barrier.last, barrier_free_);
  barrier.warps = step.barrier_warps;
  ++barrier.arrived;
  if (step.act == Act::Barrier) warp.barrier = static_cast<int>(number);
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

bool Meetings::leave(WarpState& warp) {
  Block& block = block_of(warp);
  if (++block.left == options_.block_warps) return true;
  release(warp.block);
  return false;
}

double Meetings::copied_bytes(const WarpState& warp) const {
  constexpr double unit = 16;
  const auto& how = program_.followed->use(warp.at);
  if (!how || how->kind != MbarrierUse::Kind::Copy) return 1;
  if (warp.values->lanes_of(warp.at) == 0) return 0;
  if (const auto number = warp.values->number(warp.at)) return unit * *number;
  const auto addresses = warp.values->addresses(warp.at);
  if (!addresses || addresses->empty()) return 0;
  // The first copy of a phase stands for all.
  return static_cast<double>(blocks_[static_cast<std::size_t>(warp.block)].mbarriers.expected(addresses->front().at));
}

void Meetings::meet(WarpState& warp, double now, double copied, double bytes) {
  if (const auto& how = program_.followed->use(warp.at)) use(warp, *how, now, copied, bytes);
  warp.values->execute(warp.at);
}

void Meetings::use(WarpState& warp, const MbarrierUse& how, double now, double copied, double bytes) {
  using Kind = MbarrierUse::Kind;
  Mbarriers& all = block_of(warp).mbarriers;
  const auto addresses = warp.values->addresses(warp.at);
  const auto number = warp.values->number(warp.at);
  const auto upper = how.kind == Kind::Initialize ? warp.values->number(warp.at, true) : std::optional(0U);
  const bool numbered = how.kind != Kind::Copy && how.number_is != MbarrierUse::Number::None;
  const bool needs_number = numbered || how.kind == Kind::Initialize || how.kind == Kind::Await;
  if (!addresses || (needs_number && (!number || !upper) && !addresses->empty())) {
    result_.not_followed.insert(warp.at);
    return;
  }
  bool ended = false;
  for (const WarpValues::Address& one : *addresses) {
    if (how.kind == Kind::Initialize) {
      all.initialize(one.at, *number, *upper);
    } else if (!all.knows(one.at)) {
      result_.not_followed.insert(warp.at);
    } else if (how.kind == Kind::Await) {
      return await(warp, one.at, *number >> 31U != 0);
    } else if (how.kind == Kind::Copy && bytes == 0 && !number) {
      block_of(warp).early[one.at] = warp.at;
    } else if (how.kind == Kind::Copy) {
      ended |= all.complete(one.at, static_cast<std::int64_t>(bytes), copied);
    } else {
      ended |= arrive_at(all, how, one, number.value_or(0), now);
      expect_early(warp.block, one.at);
    }
  }
  if (ended) wake(warp.block);
}

void Meetings::expect_early(int block, std::uint32_t mbarrier) {
  Block& all = blocks_[static_cast<std::size_t>(block)];
  const auto copy = all.early.find(mbarrier);
  const std::int64_t bytes = all.mbarriers.expected(mbarrier);
  if (copy == all.early.end() || bytes == 0) return;
  early_.push_back({block, mbarrier, copy->second, static_cast<double>(bytes)});
  all.early.erase(copy);
}

void Meetings::complete(const EarlyCopy& copy, double copied) {
  Mbarriers& all = blocks_[static_cast<std::size_t>(copy.block)].mbarriers;
  if (all.complete(copy.mbarrier, static_cast<std::int64_t>(copy.bytes), copied)) wake(copy.block);
}

bool Meetings::arrive_at(Mbarriers& all, const MbarrierUse& how, const WarpValues::Address& lanes, std::int64_t number,
                         double now) const {
  using Number = MbarrierUse::Number;
  const std::int64_t each = std::popcount(lanes.lanes);
  bool ended = false;
  if (how.number_is == Number::Bytes) ended |= all.expect(lanes.at, each * number, now);
  if (how.number_is == Number::Copied) ended |= all.complete(lanes.at, each * number, now);
  const std::int64_t arrivals = how.number_is == Number::Arrivals ? each * number : how.arrives ? each : 0;
  if (arrivals > 0) ended |= all.arrive(lanes.at, arrivals, now);
  return ended;
}

void Meetings::await(WarpState& warp, std::uint32_t address, bool parity) {
  warp.awaited = {address, parity, warp.at};
  if (const auto ended = block_of(warp).mbarriers.ended(address, parity)) go_on(warp, *ended);
}

/// The answer comes when the phase has ended; the scoreboard of the wait signals it.
void Meetings::go_on(WarpState& warp, double ended) {
  const std::size_t step = warp.awaited->step;
  const int scoreboard = program_.steps[step].write;
  const double later = program_.followed->use(step)->sleeps ? options_.woken : options_.found;
  if (scoreboard >= 0) {
    double& signalled = warp.released[static_cast<std::size_t>(scoreboard)];
    signalled = std::max(signalled, ended + later);
  }
  warp.awaited.reset();
}

void Meetings::wake(int number) {
  Block& block = blocks_[static_cast<std::size_t>(number)];
  for (WarpState& warp : warps_) {
    if (warp.block != number || !warp.awaited) continue;
    const auto ended = block.mbarriers.ended(warp.awaited->address, warp.awaited->parity);
    if (!ended) continue;
    go_on(warp, *ended);
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
  const std::size_t at = warp.at;
  const bool leaves = step.act == Act::Leave;
  if (step.decision == Decision::Share) {
    if (!takes_share(warp, step)) return at + 1;
    return leaves ? std::nullopt : step.target;
  }
  if (!warp.values) {
    if (leaves) return std::nullopt;
    return takes_jump(warp, step) ? step.target : std::optional(at + 1);
  }
  WarpValues& values = *warp.values;
  std::optional<LaneMask> lanes;
  if (step.decision == Decision::Values) {
    lanes = values.lanes_of(at);
    if (!lanes && step.otherwise)
      lanes = *step.otherwise ? values.active() : 0;
    else if (!lanes)
      result_.not_followed.insert(at);
  } else {
    lanes = leaves || takes_jump(warp, step) ? values.active() : 0;
  }
  const LaneMask go = lanes.value_or(0);
  const auto next = go == 0                  ? std::optional(at + 1)
                    : leaves || !step.target ? values.leave(go, at)
                                             : std::optional(values.jump(go, at, *step.target));
  return next;
}

}  // namespace warpclock
