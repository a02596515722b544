#pragma once

#include <cstdint>
#include <unordered_map>
#include <unordered_set>

#include "execute/stream.hpp"

namespace warpclock {

/// Where in global memory the lanes of atomic operations meet, in blocks that run at once.
struct AtomicMeeting {
  double lines = 0;         ///< to which all of them go, or as many as are in so many slices of L2; 0: not known
  double hottest_line = 0;  ///< the part of the lanes that goes to the line with most of them
  double hottest_word = 0;  ///< and to such a word

  bool operator==(const AtomicMeeting&) const = default;
};

/// The words to which atomic operations of the executed blocks go, taken to be all at the same time.
class AtomicPlaces {
 public:
  void touch(const WarpPlace& warp, LaneMask lanes, const LaneAddresses& addresses);

  /// The lines of so many blocks, which are taken to choose among as many lines as makes two of them meet as often as
  /// those that were executed do.
  [[nodiscard]] double lines(double blocks) const;
  /// Of so many blocks at once. The first access to a place says nothing of how often others follow.
  [[nodiscard]] AtomicMeeting meeting(double blocks) const;

 private:
  std::unordered_map<std::uint64_t, std::uint64_t> lines_, words_;  ///< lanes, without the first
  std::unordered_set<std::uint64_t> pages_, blocks_;
  std::unordered_set<std::uint64_t> of_blocks_;  ///< a hash of each line of each block
  std::uint64_t lanes_ = 0;
};

}  // namespace warpclock
