#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "code/listing.hpp"
#include "fields/form_table.hpp"
#include "inspect/flow_graph.hpp"
#include "inspect/inspection.hpp"
#include "model/machine.hpp"
#include "plan/arch.hpp"

namespace warpclock {

/// Cycles from a source operand of an instruction to its result.
struct SourceLatency {
  std::optional<double> cycles;
  /// "measured": of this form; "opcode": all measured forms with this name agree; "encoded": the fewest cycles that
  /// ptxas leaves after this form; "unknown".
  std::string basis = "unknown";
  std::string why;  ///< why it is unknown
};

/// Latencies of machine instructions, from a machine model and from what ptxas encodes. Nothing is guessed.
class LatencyTable {
 public:
  /// `machine` is null if no GPU of this architecture was measured.
  LatencyTable(const Machine* machine, const Arch& arch);

  /// `source` counts source operands as Effects does.
  [[nodiscard]] SourceLatency of(const Instruction& instruction, std::size_t source) const;

 private:
  [[nodiscard]] std::optional<double> of_opcode(const std::string& name, const std::string& leaf) const;

  const FormTable& forms_;
  std::map<std::string, const Entry*, std::less<>> measured_;
  std::map<std::string, std::vector<const Entry*>, std::less<>> by_opcode_;
};

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
