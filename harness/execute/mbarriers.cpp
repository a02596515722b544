#include "execute/mbarriers.hpp"

#include <algorithm>

#include "base/lookup.hpp"
#include "execute/known_memory.hpp"

namespace warpclock {

std::uint32_t mbarrier_place(std::uint64_t address) { return static_cast<std::uint32_t>(address & shared_mask); }

std::map<std::uint32_t, LaneMask> lanes_by_mbarrier(LaneMask lanes, const LaneAddresses& addresses) {
  std::map<std::uint32_t, LaneMask> by_place;
  for (std::size_t i = 0; i < warp_lanes; ++i) {
    if (has_lane(lanes, i)) by_place[mbarrier_place(addresses[i])] |= LaneMask{1} << i;
  }
  return by_place;
}

void Mbarriers::initialize(std::uint32_t address, std::uint32_t low, std::uint32_t high) {
  constexpr std::int64_t most = 0x100000;
  const std::int64_t arrivals = most - (low >> 1);
  all_[address] = {.arrivals = arrivals, .pending = arrivals, .phase = high >> 31};
}

template <class F>
bool Mbarriers::change(std::uint32_t address, double cycle, F how) {
  const auto found = all_.find(address);
  if (found == all_.end()) return false;
  Mbarrier& one = found->second;
  how(one);
  one.last = std::max(one.last, cycle);
  if (one.pending > 0 || one.bytes != 0) return false;
  one.ended = std::max(one.ended, one.last);
  one.last = 0;
  one.pending = one.arrivals;
  ++one.phase;
  return true;
}

bool Mbarriers::arrive(std::uint32_t address, std::int64_t arrivals, double cycle) {
  return change(address, cycle, [&](Mbarrier& one) { one.pending -= arrivals; });
}

bool Mbarriers::expect(std::uint32_t address, std::int64_t bytes, double cycle) {
  return change(address, cycle, [&](Mbarrier& one) { one.bytes += bytes; });
}

bool Mbarriers::complete(std::uint32_t address, std::int64_t bytes, double cycle) {
  return change(address, cycle, [&](Mbarrier& one) { one.bytes -= bytes; });
}

std::optional<double> Mbarriers::ended(std::uint32_t address, bool parity) const {
  const auto found = all_.find(address);
  if (found == all_.end() || (found->second.phase % 2 == 1) == parity) return std::nullopt;
  return found->second.ended;
}

std::int64_t Mbarriers::expected(std::uint32_t address) const {
  const Mbarrier* found = value_at(all_, address);
  return found == nullptr ? 0 : std::max<std::int64_t>(0, found->bytes);
}

}  // namespace warpclock
