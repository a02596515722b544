#include <algorithm>
#include <bit>
#include <cstdint>
#include <map>

#include "execute/block_run.hpp"

namespace warpclock {

/// BAR: PTX ISA, "barrier": a warp counts when all of its lanes have come. `BAR.SYNC 0x1, 0x80`, `BAR.ARV R0, 0x40`,
/// `BAR.RED.OR 0x0, P0`.
BlockRun::Went BlockRun::meet(ExecutedWarp& warp, std::size_t at, const CodeStep& step) {
  WarpSplit& split = warp.splits[at];
  const auto lanes = lanes_of(warp, step, split.lanes);
  if (!lanes) return Went::Failed;
  if (*lanes == 0) return Went::On;
  if (*lanes != split.lanes) return fail_with("unfollowed", step, "only some lanes come to the barrier");
  const auto number = number_of(warp, step, 0, *lanes);
  const auto threads = step.words.size() > 1 ? number_of(warp, step, 1, *lanes) : std::optional(0U);
  if (!number || !threads) return Went::Failed;
  reader_.met(warp.position, step, *number);
  NamedBarrier& barrier = barriers_[*number];
  barrier.arrived.resize(warps_.size());
  barrier.expected = *threads;
  constexpr std::uint32_t warp_threads = warp_lanes;
  if (step.has(Modifier::Arrive)) {
    barrier.early += warp_threads;
    release_barriers();
    return Went::On;
  }
  if (step.has(Modifier::Reduce) && !step.predicates.empty()) {
    const auto [holds, unknown] = warp.holding(step.predicates[0], *lanes);
    barrier.reduced_known = barrier.reduced_known && unknown == 0;
    barrier.holding += static_cast<std::uint32_t>(std::popcount(holds));
    barrier.threads += static_cast<std::uint32_t>(std::popcount(*lanes));
    barrier.reduce = step.has(Modifier::And) ? 1 : step.has(Modifier::Or) ? 2 : 0;
  }
  barrier.arrived[warp.position.warp] |= *lanes;
  close(warp, split, step.index);
  ++split.step;
  split.waits = WarpSplit::Waits::Barrier;
  split.on = *number;
  release_barriers();
  return Went::Waits;
}

void BlockRun::release_barriers() {
  constexpr std::uint32_t warp_threads = warp_lanes;
  for (auto& [number, barrier] : barriers_) {
    std::uint32_t come = barrier.early;
    bool all = true, any = barrier.early > 0;
    for (std::size_t w = 0; w < barrier.arrived.size(); ++w) {
      const bool whole = barrier.arrived[w] != 0 && (warps_[w].live & ~barrier.arrived[w]) == 0;
      any |= barrier.arrived[w] != 0;
      come += whole ? warp_threads : 0;
      all &= whole || warps_[w].live == 0;
    }
    if (!any || (barrier.expected == 0 ? !all : come < barrier.expected)) continue;
    const std::uint32_t reduced = barrier.reduce == 1   ? (barrier.holding == barrier.threads ? 1U : 0U)
                                  : barrier.reduce == 2 ? (barrier.holding > 0 ? 1U : 0U)
                                                        : barrier.holding;
    for (ExecutedWarp& warp : warps_) {
      for (WarpSplit& split : warp.splits) {
        if (split.waits != WarpSplit::Waits::Barrier || split.on != number) continue;
        split.waits = WarpSplit::Waits::No;
        warp.reduced = barrier.reduced_known ? std::optional(reduced) : std::nullopt;
      }
    }
    barrier = {};
  }
}

/// SYNCS: what ptxas makes of each line of PTX is in probes/mbarrier.cuh. A wait that fails is not executed again: it
/// is time that decides how often a warp polls.
BlockRun::Went BlockRun::use_mbarrier(ExecutedWarp& warp, std::size_t at, const CodeStep& step) {
  WarpSplit& split = warp.splits[at];
  const auto lanes = lanes_of(warp, step, split.lanes);
  if (!lanes) return Went::Failed;
  if (*lanes == 0) return Went::On;
  LaneAddresses where;
  if (step.addresses.empty()) return Went::On;
  if (!addresses_of(warp, step, step.addresses[0], *lanes, where)) return Went::Failed;
  const auto by_place = lanes_by_mbarrier(*lanes, where);
  const std::uint32_t address = by_place.begin()->first;
  for (const auto& [place, users] : by_place) reader_.met(warp.position, step, place);
  if (step.has(Modifier::Await)) return await(warp, split, step, *lanes, by_place);
  if (by_place.size() > 1 && !step.has(Modifier::Arrive))
    return fail_with("unfollowed", step, "its lanes use several mbarriers");
  const bool counts = !step.has(Modifier::OneArrival) && !step.has(Modifier::NoBytes);
  const auto number = counts ? number_of(warp, step, 0, *lanes) : std::optional(0U);
  if (!number) return Went::Failed;
  if (step.has(Modifier::Initialize)) {
    const auto upper = number_of(warp, step, 0, *lanes, true);
    if (!upper) return Went::Failed;
    mbarriers_.initialize(address, *number, *upper);
    return Went::On;
  }
  if (!step.has(Modifier::Arrive))
    return fail_with("unfollowed", step, "what it does with an mbarrier is not followed");
  for (const auto& [place, users] : by_place) {
    if (step.has(Modifier::Completes)) {
      mbarriers_.complete(place, *number, 0);
    } else {
      // Bytes come before the arrival, which may end the phase.
      if (counts && !step.has(Modifier::Arrivals)) mbarriers_.expect(place, *number, 0);
      if (!step.has(Modifier::NoArrival) && !step.has(Modifier::NoBytes))
        mbarriers_.arrive(place, step.has(Modifier::Arrivals) ? *number : std::popcount(users), 0);
    }
    release_mbarrier(place);
  }
  return Went::On;
}

BlockRun::Went BlockRun::await(ExecutedWarp& warp, WarpSplit& split, const CodeStep& step, LaneMask lanes,
                               const std::map<std::uint32_t, LaneMask>& by_place) {
  StepOutputs out;
  out.predicate[0] = all_lanes;
  for (const auto& [place, users] : by_place) {
    const auto number = number_of(warp, step, 0, users);
    if (!number) return Went::Failed;
    if (!mbarriers_.knows(place))
      return fail_with("unfollowed", step, "it waits for an mbarrier that was not initialized");
    const MbarrierPhase phase{place, *number >> 31 != 0};
    if (!mbarriers_.ended(place, phase.parity)) split.phases.push_back(phase);
  }
  warp.write(step, out, {lanes, 0}, {});
  if (split.phases.empty()) return Went::On;
  close(warp, split, step.index);
  ++split.step;
  split.waits = WarpSplit::Waits::Mbarrier;
  return Went::Waits;
}

/// All blocks of a cluster do the same, so that the warps of this one are the last to come to its barrier.
BlockRun::Went BlockRun::await_cluster(ExecutedWarp& warp, WarpSplit& split, const CodeStep& step) {
  split.waits = WarpSplit::Waits::Cluster;
  split.on = warp.cluster_arrivals;
  close(warp, split, step.index);
  ++split.step;
  release_cluster();
  return Went::Waits;
}

void BlockRun::release_cluster() {
  std::uint32_t arrived = ~std::uint32_t{0};
  for (const ExecutedWarp& warp : warps_) {
    if (warp.live != 0) arrived = std::min(arrived, warp.cluster_arrivals);
  }
  for (ExecutedWarp& warp : warps_) {
    for (WarpSplit& split : warp.splits) {
      if (split.waits == WarpSplit::Waits::Cluster && split.on <= arrived) split.waits = WarpSplit::Waits::No;
    }
  }
}

void BlockRun::release_mbarrier(std::uint32_t address) {
  // The bytes of tensor copies are those that the mbarrier still expects.
  if (const auto copies = tensor_copies_.find(address); copies != tensor_copies_.end() && copies->second > 0) {
    const std::int64_t expected = mbarriers_.expected(address);
    if (expected > 0) {
      copies->second = 0;
      mbarriers_.complete(address, expected, 0);
    }
  }
  for (ExecutedWarp& warp : warps_) {
    for (WarpSplit& split : warp.splits) {
      if (split.waits != WarpSplit::Waits::Mbarrier) continue;
      std::erase_if(split.phases, [&](const MbarrierPhase& one) {
        return one.mbarrier == address && mbarriers_.ended(address, one.parity);
      });
      if (split.phases.empty()) split.waits = WarpSplit::Waits::No;
    }
  }
}

}  // namespace warpclock
