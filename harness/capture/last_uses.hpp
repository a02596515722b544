#pragma once

#include <cstddef>
#include <cstdint>
#include <map>

namespace warpclock {

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
  [[nodiscard]] LastUse of(std::uint64_t address, const std::map<std::uint64_t, std::size_t>& allocations,
                           std::int64_t now) const;
  void note(std::uint64_t address, std::int64_t now);

 private:
  std::map<std::uint64_t, std::int64_t> launches_;  ///< the number of the last one, by address
};

}  // namespace warpclock
