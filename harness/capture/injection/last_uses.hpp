#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>

namespace warpclock {

using Allocations = std::map<std::uint64_t, std::size_t>;  ///< bytes, by address

/// The one that an address is in; `end()` if it is in none.
inline Allocations::const_iterator allocation_of(std::uint64_t address, const Allocations& all) {
  const auto after = all.upper_bound(address);
  if (after == all.begin()) return all.end();
  const auto before = std::prev(after);
  return address - before->first < before->second ? before : all.end();
}

/// When launches last had an address. Launches are numbered as they began.
struct LastUse {
  std::int64_t ago = 0;     ///< launches; 0: none had it
  std::uint64_t below = 0;  ///< how many bytes below it there is one that a launch had later; 0: there is none
  std::int64_t since = 0;   ///< how many launches ago that was
};

class LastUses {
 public:
  /// Of the launch with number `now`, which has the address, but is not noted. Of the nearest addresses below, in the
  /// same allocation, the one that was used last counts: the address may be within what that launch accessed.
  [[nodiscard]] LastUse of(std::uint64_t address, const Allocations& allocations, std::int64_t now) const;
  void note(std::uint64_t address, std::int64_t now);

 private:
  std::map<std::uint64_t, std::int64_t> launches_;  ///< the number of the last one, by address
};

inline LastUse LastUses::of(std::uint64_t address, const Allocations& allocations, std::int64_t now) const {
  constexpr int most_looked_at = 16;
  LastUse use;
  auto at = launches_.lower_bound(address);
  if (at != launches_.end() && at->first == address) use.ago = now - at->second;
  const auto allocation = allocation_of(address, allocations);
  if (allocation == allocations.end()) return use;
  for (int i = 0; i < most_looked_at && at != launches_.begin(); ++i) {
    if ((--at)->first < allocation->first) break;
    const std::int64_t ago = now - at->second;
    const bool later = (use.ago == 0 || ago < use.ago) && (use.below == 0 || ago < use.since);
    if (later) use.below = address - at->first, use.since = ago;
  }
  return use;
}

inline void LastUses::note(std::uint64_t address, std::int64_t now) {
  constexpr std::size_t most = std::size_t{1} << 18;
  if (launches_.size() >= most) launches_.clear();
  launches_[address] = now;
}

}  // namespace warpclock
