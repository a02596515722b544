#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "code/listing.hpp"
#include "inspect/flow_graph.hpp"
#include "inspect/inspection.hpp"
#include "inspect/latency_table.hpp"

namespace warpclock {

/// A basic block of a loop's trip.
struct TripBlock {
  std::size_t first = 0, end = 0;   ///< indices in the listing
  std::vector<std::size_t> before;  ///< blocks of the trip that lead here, all of them earlier in the list
  bool last = false;                ///< whether the next trip follows
};

struct TripPaths {
  CriticalPath trip;     ///< the longest path through registers within one trip
  CriticalPath carried;  ///< cycles a trip, as the number of trips grows: the largest mean of a cycle of dependences
};

/// Paths through registers of a loop without inner loops, whose blocks are in the order of flow, the header first.
/// Registers connect an instruction with those that may have written them last on a path through this trip or the one
/// before; so do words of local memory to which registers are spilled. Instructions whose latency is unknown count zero
/// cycles and are named.
[[nodiscard]] TripPaths trip_paths(const Listing& listing, std::span<const TripBlock> trip,
                                   const LatencyTable& latencies);

}  // namespace warpclock
