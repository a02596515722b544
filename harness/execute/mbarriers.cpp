#include "execute/mbarriers.hpp"

#include <algorithm>

#include "base/lookup.hpp"
#include "execute/known_memory.hpp"

namespace warpclock {

MbarrierPlace mbarrier_place(std::uint64_t address) {
  return {shared_rank(address), static_cast<std::uint32_t>(address & shared_mask)};
}

std::map<MbarrierPlace, LaneMask> lanes_by_mbarrier(LaneMask lanes, const LaneAddresses& addresses) {
  std::map<MbarrierPlace, LaneMask> by_place;
  for (std::size_t i = 0; i < warp_lanes; ++i) {
    if (has_lane(lanes, i)) by_place[mbarrier_place(addresses[i])] |= LaneMask{1} << i;
  }
  return by_place;
}

Meeting initialization(std::uint32_t place, std::uint32_t low, std::uint32_t high) {
  constexpr std::uint32_t most = 0x100000;
  return {.kind = Meeting::Kind::Initialize, .parity = high >> 31 != 0, .place = place, .arrivals = most - (low >> 1)};
}

bool Mbarriers::meet(const Meeting& how, double cycle) {
  if (how.kind == Meeting::Kind::Initialize) {
    const auto arrivals = static_cast<std::int32_t>(how.arrivals);
    all_[how.place] = {.arrivals = arrivals, .pending = arrivals, .phase = how.parity ? 1 : 0};
    return false;
  }
  const auto found = all_.find(how.place);
  if (found == all_.end()) return false;
  Mbarrier& one = found->second;
  one.bytes += how.bytes;
  one.pending -= how.arrivals;
  one.last = std::max(one.last, cycle);
  if (one.pending > 0 || one.bytes != 0) return false;
  one.ended = std::max(one.ended, one.last);
  one.last = 0;
  one.pending = one.arrivals;
  ++one.phase;
  return true;
}

std::optional<double> Mbarriers::ended(const MbarrierPhase& phase) const {
  const auto found = all_.find(phase.mbarrier);
  if (found == all_.end() || (found->second.phase % 2 == 1) == phase.parity) return std::nullopt;
  return found->second.ended;
}

std::int64_t Mbarriers::expected(std::uint32_t place) const {
  const Mbarrier* found = value_at(all_, place);
  return found == nullptr ? 0 : std::max<std::int64_t>(0, found->bytes);
}

}  // namespace warpclock
