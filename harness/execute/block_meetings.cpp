#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <map>
#include <optional>
#include <set>

#include "execute/block_run.hpp"

namespace warpclock {
namespace {

/// A1T0 is one arrival of each lane, ART0 as many as the register says, A0TR and A0TX expect and complete so many
/// bytes, A0T1 expects one; without such a word it is one arrival that expects the bytes in the register.
/// When the copies of a lane have come, ARRIVES.LDGSTSBAR arrives for it (ARVCNT, of cp.async.mbarrier.arrive.noinc),
/// or completes the byte that a SYNCS.ARRIVE.A0T1 before it expects (TRANSCNT).
Meeting arrival(const CodeStep& step, std::uint32_t place, std::uint32_t number, std::uint32_t lanes) {
  Meeting made{.kind = step.has(Modifier::Landed) ? Meeting::Kind::Copy : Meeting::Kind::Arrive, .place = place};
  const bool completes = step.has(Modifier::Completes), many = step.has(Modifier::Arrivals);
  if (many) made.arrivals = lanes * number;
  if (!many) made.bytes = std::int64_t{lanes} * number * (completes ? -1 : 1);
  const bool arrives = !many && !completes && !step.has(Modifier::NoArrival) && !step.has(Modifier::OneByte);
  if (arrives) made.arrivals = lanes;
  return made;
}

}  // namespace

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
  // PTX ISA, "barrier": "barriers 0 to 15".
  constexpr std::uint32_t barriers = 16;
  if (*number >= barriers) return fail_with("unfollowed", step, fmt::format("a block has no barrier {}", *number));
  tell(warp, {.index = step.index, .place = *number, .arrivals = *threads});
  Resident& block = block_of(warp);
  NamedBarrier& barrier = block.barriers[*number];
  barrier.arrived.resize(block.warps.size());
  barrier.expected = *threads;
  constexpr std::uint32_t warp_threads = warp_lanes;
  if (step.has(Modifier::Arrive)) {
    barrier.early += warp_threads;
    release_barriers(block);
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
  release_barriers(block);
  return Went::Waits;
}

void BlockRun::release_barriers(Resident& block) {
  constexpr std::uint32_t warp_threads = warp_lanes;
  for (auto& [number, barrier] : block.barriers) {
    std::uint32_t come = barrier.early;
    bool all = true, any = barrier.early > 0;
    for (std::size_t w = 0; w < barrier.arrived.size(); ++w) {
      const LaneMask live = block.warps[w].live;
      const bool whole = barrier.arrived[w] != 0 && (live & ~barrier.arrived[w]) == 0;
      any |= barrier.arrived[w] != 0;
      come += whole ? warp_threads : 0;
      all &= whole || live == 0;
    }
    if (!any || (barrier.expected == 0 ? !all : come < barrier.expected)) continue;
    const std::uint32_t reduced = barrier.reduce == 1   ? (barrier.holding == barrier.threads ? 1U : 0U)
                                  : barrier.reduce == 2 ? (barrier.holding > 0 ? 1U : 0U)
                                                        : barrier.holding;
    for (ExecutedWarp& warp : block.warps) {
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
  // Only arrivals are at mbarriers of other blocks (PTX ISA, "mbarrier.init", "mbarrier.test_wait").
  if (!step.has(Modifier::Arrive)) {
    for (std::uint64_t& address : where) address = ranked_shared(warp.position.cluster_rank, address);
  }
  const auto by_place = lanes_by_mbarrier(*lanes, where);
  if (step.has(Modifier::Await)) return await(warp, split, step, *lanes, by_place);
  const bool counts_copies =
      step.has(Modifier::Landed) && (step.has(Modifier::OneArrival) || step.has(Modifier::Completes));
  const bool initializes = step.has(Modifier::Initialize), arrives = step.has(Modifier::Arrive) || counts_copies;
  if (!initializes && !arrives) return fail_with("unfollowed", step, "what it does with an mbarrier is not followed");
  if (by_place.size() > 1 && !arrives) return fail_with("unfollowed", step, "its lanes use several mbarriers");
  constexpr std::uint64_t mbarrier_bytes = 8;
  if (initializes && !in_memory(step, StepSpace::Shared, *lanes, where, mbarrier_bytes)) return Went::Failed;
  const auto number = step.has(Modifier::OneArrival)                 ? std::optional(0U)
                      : step.has(Modifier::OneByte) || counts_copies ? std::optional(1U)
                                                                     : number_of(warp, step, 0, *lanes);
  const auto upper = initializes ? number_of(warp, step, 0, *lanes, true) : std::optional(0U);
  if (!number || !upper) return Went::Failed;
  std::vector<Meeting> meetings;
  for (const auto& [mbarrier, users] : by_place) {
    Meeting meeting = initialization(mbarrier.place, *number, *upper);
    if (!initializes)
      meeting = arrival(step, mbarrier.place, *number, static_cast<std::uint32_t>(std::popcount(users)));
    meeting.index = step.index, meeting.rank = mbarrier.rank;
    meetings.push_back(meeting);
  }
  meet_mbarriers(warp, meetings);
  return Went::On;
}

BlockRun::Went BlockRun::await(ExecutedWarp& warp, WarpSplit& split, const CodeStep& step, LaneMask lanes,
                               const std::map<MbarrierPlace, LaneMask>& by_place) {
  StepOutputs out;
  out.predicate[0] = all_lanes;
  const Mbarriers& mbarriers = block_of(warp).mbarriers;
  std::vector<Meeting> meetings;
  for (const auto& [mbarrier, users] : by_place) {
    const auto number = number_of(warp, step, 0, users);
    if (!number) return Went::Failed;
    if (!mbarriers.knows(mbarrier.place))
      return fail_with("unfollowed", step, "it waits for an mbarrier that was not initialized");
    const MbarrierPhase phase{mbarrier.place, *number >> 31 != 0};
    meetings.push_back({.kind = Meeting::Kind::Await,
                        .parity = phase.parity,
                        .index = step.index,
                        .place = mbarrier.place,
                        .rank = mbarrier.rank});
    if (!mbarriers.ended(phase)) split.phases.push_back(phase);
  }
  reader_.met(warp.position, meetings);
  warp.write(step, out, {lanes, 0}, {});
  if (split.phases.empty()) return Went::On;
  close(warp, split, step.index);
  ++split.step;
  split.waits = WarpSplit::Waits::Mbarrier;
  return Went::Waits;
}

BlockRun::Went BlockRun::await_cluster(ExecutedWarp& warp, WarpSplit& split, const CodeStep& step) {
  // Its first phase has parity 0.
  const bool parity = warp.cluster_arrivals % 2 == 0;
  tell(warp, {.kind = Meeting::Kind::Await, .parity = parity, .index = step.index, .place = cluster_barrier});
  split.waits = WarpSplit::Waits::Cluster;
  split.on = warp.cluster_arrivals;
  close(warp, split, step.index);
  ++split.step;
  release_cluster();
  return Went::Waits;
}

void BlockRun::release_cluster() {
  std::uint32_t arrived = ~std::uint32_t{0};
  for (const Resident& block : blocks_) {
    for (const ExecutedWarp& warp : block.warps) {
      if (warp.live != 0) arrived = std::min(arrived, warp.cluster_arrivals);
    }
  }
  for (Resident& block : blocks_) {
    for (ExecutedWarp& warp : block.warps) {
      for (WarpSplit& split : warp.splits) {
        if (split.waits == WarpSplit::Waits::Cluster && split.on <= arrived) split.waits = WarpSplit::Waits::No;
      }
    }
  }
}

void BlockRun::meet_mbarriers(const ExecutedWarp& warp, std::span<const Meeting> meetings) {
  reader_.met(warp.position, meetings);
  for (const Meeting& one : meetings) meet_mbarrier(one);
}

void BlockRun::meet_mbarrier(const Meeting& meeting) {
  if (meeting.rank >= blocks_.size()) return;
  Resident& block = blocks_[meeting.rank];
  block.mbarriers.meet(meeting, 0);
  for (ExecutedWarp& warp : block.warps) {
    for (WarpSplit& split : warp.splits) {
      if (split.waits != WarpSplit::Waits::Mbarrier) continue;
      std::erase_if(split.phases, [&](const MbarrierPhase& one) {
        return one.mbarrier == meeting.place && block.mbarriers.ended(one);
      });
      if (split.phases.empty()) split.waits = WarpSplit::Waits::No;
    }
  }
}

/// The listing does not say how many bytes a tensor copy brings. They are what its mbarrier expects when no warp goes
/// on without them: by then all copies of the phase have been issued.
bool BlockRun::land_copies() {
  bool any = false;
  for (std::uint32_t rank = 0; rank < blocks_.size(); ++rank) {
    Resident& block = blocks_[rank];
    for (const std::uint32_t place : std::set<std::uint32_t>(block.tensor_copies)) {
      const std::int64_t expected = block.mbarriers.expected(place);
      if (expected == 0) continue;
      any = true;
      block.tensor_copies.erase(place);
      reader_.landed(rank, place, expected);
      meet_mbarrier({.kind = Meeting::Kind::Copy, .place = place, .rank = rank, .bytes = -expected});
    }
  }
  return any;
}

}  // namespace warpclock
