#pragma once

#include <cstdint>

namespace warpclock {

/// A phase of an mbarrier.
struct MbarrierPhase {
  std::uint32_t mbarrier = 0;  ///< its place in the block
  bool parity = false;
};

/// What a warp does where warps of a block meet.
struct Meeting {
  enum class Kind : std::uint8_t { Barrier, Initialize, Arrive, Await, Copy };
  Kind kind = Kind::Barrier;
  bool parity = false;         ///< Await: of the phase; Initialize: of the first phase
  std::uint32_t index = 0;     ///< of the instruction in the listing
  std::uint32_t place = 0;     ///< the number of a barrier, or where an mbarrier is in the block
  std::uint32_t arrivals = 0;  ///< Barrier: the threads that it waits for, 0: all
  std::int64_t bytes = 0;      ///< that the mbarrier expects from now on; below 0: that have come

  bool operator==(const Meeting&) const = default;
};

}  // namespace warpclock
