#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "code/listing.hpp"
#include "inspect/critical_path.hpp"
#include "inspect/flow_graph.hpp"
#include "inspect/latency_table.hpp"

namespace warpclock {

/// The result of `from` enters an instruction, whose own result is there `cycles` later.
struct Dependence {
  std::size_t from = no_index;  ///< none: the operand was there before the trip
  int trips = 0;                ///< 1: `from` is of the trip before
  SourceLatency latency;

  [[nodiscard]] double cycles() const { return latency.cycles.value_or(0); }
};

/// By the instruction that depends.
using Dependences = std::vector<std::vector<Dependence>>;

/// What the instructions of a trip wait for through registers.
struct TripDependences {
  std::vector<std::size_t> order;  ///< the instructions of the trip, as indices in the listing
  Dependences dependences;         ///< of each of them, by its position in the order
};

[[nodiscard]] TripDependences trip_dependences(const Listing& listing, std::span<const TripBlock> trip,
                                               const LatencyTable& latencies);

}  // namespace warpclock
