#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "code/listing.hpp"
#include "inspect/flow_graph.hpp"
#include "inspect/hazards/hazards.hpp"

namespace warpclock {

/// The reader issues at least `needed` cycles after the producer, and `cycles` after it as the code is.
struct IssueNeed {
  std::size_t producer = 0, reader = 0;  ///< indices in the listing
  int cycles = 0, needed = 0;
  std::string row = {};  ///< of a record; empty: it only holds stall counts where they are
};

/// A block in which the result of a producer in another block, or in the trip before, may still be awaited.
struct PassedBlock {
  std::size_t producer = 0, block = 0;
};

/// By how many cycles the stall counts can be lowered together so that all needs hold. Only those right before a reader
/// of a result that is awaited longer than needed are lowered, from the first in the listing on. `distances` are the
/// cycles from each instruction to the next.
[[nodiscard]] std::vector<LoopSlack> slack_of(const Listing& listing, const FlowGraph& graph,
                                              std::span<const int> distances, std::vector<IssueNeed> needs,
                                              std::span<const PassedBlock> passed);

}  // namespace warpclock
