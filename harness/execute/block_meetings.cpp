#include <algorithm>
#include <bit>
#include <cstdint>

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
  const std::size_t first = first_lane(*lanes);
  const auto address = static_cast<std::uint32_t>(where[first]);
  const auto arrivals = std::popcount(*lanes);
  for (std::size_t i = 0; i < warp_lanes; ++i) {
    if (has_lane(*lanes, i) && static_cast<std::uint32_t>(where[i]) != address)
      return fail_with("unfollowed", step, "its lanes use several mbarriers");
  }
  reader_.met(warp.position, step, address);
  const bool counts = !step.has(Modifier::OneArrival) && !step.has(Modifier::NoBytes);
  const auto number = counts ? number_of(warp, step, 0, *lanes) : std::optional(0U);
  if (!number) return Went::Failed;
  if (step.has(Modifier::Initialize)) {
    constexpr std::int64_t most = 0x100000;  // the register has the arrivals that are not expected, times two
    mbarriers_.initialize(address, most - (*number >> 1));
    return Went::On;
  }
  if (step.has(Modifier::Await)) {
    StepOutputs out;
    out.predicate[0] = all_lanes;
    warp.write(step, out, {*lanes, 0}, {});
    const bool parity = *number >> 31 != 0;
    if (!mbarriers_.knows(address))
      return fail_with("unfollowed", step, "it waits for an mbarrier that was not initialized");
    if (mbarriers_.ended(address, parity)) return Went::On;
    close(warp, split, step.index);
    ++split.step;
    split.waits = WarpSplit::Waits::Mbarrier;
    split.on = address;
    split.parity = parity ? 1 : 0;
    return Went::Waits;
  }
  if (!step.has(Modifier::Arrive))
    return fail_with("unfollowed", step, "what it does with an mbarrier is not followed");
  if (step.has(Modifier::Completes)) {
    mbarriers_.complete(address, *number, 0);
  } else {
    // Bytes come before the arrival, which may end the phase.
    if (counts && !step.has(Modifier::Arrivals)) mbarriers_.expect(address, *number, 0);
    if (!step.has(Modifier::NoArrival) && !step.has(Modifier::NoBytes))
      mbarriers_.arrive(address, step.has(Modifier::Arrivals) ? *number : arrivals, 0);
  }
  release_mbarrier(address);
  return Went::On;
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
      if (split.waits == WarpSplit::Waits::Mbarrier && split.on == address &&
          mbarriers_.ended(address, split.parity != 0))
        split.waits = WarpSplit::Waits::No;
    }
  }
}

}  // namespace warpclock
