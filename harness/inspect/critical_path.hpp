#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include "code/listing.hpp"
#include "inspect/inspection.hpp"
#include "inspect/latency_table.hpp"

namespace warpclock {

/// An instruction of a loop's trip.
struct TripInstruction {
  std::size_t index = 0;  ///< in the listing
  bool always = true;     ///< whether each trip passes it
};

struct TripPaths {
  CriticalPath trip;     ///< the longest path through registers within one trip
  CriticalPath carried;  ///< cycles a trip, as the number of trips grows: the largest mean of a cycle of dependences
};

/// Paths through registers of a loop without inner loops; its instructions in the order of the listing. Registers
/// connect an instruction with the last ones that may have written them, of the same trip or of the one before; so do
/// words of local memory to which registers are spilled.
/// Instructions whose latency is unknown count zero cycles and are named.
[[nodiscard]] TripPaths trip_paths(const Listing& listing, std::span<const TripInstruction> trip,
                                   const LatencyTable& latencies);

}  // namespace warpclock
