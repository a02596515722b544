#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "analyze/estimate.hpp"
#include "base/error.hpp"
#include "code/word.hpp"

namespace warpclock {

/// How long after an instruction its result can be read, from one source operand on.
struct DependencyLatency {
  int source = 0;             ///< source operand, 0 is the first
  std::string operand;        ///< as it is printed: "R5", "[R4.64]"
  std::string through;        ///< what brings the result to the operand where one chain alone does not: "SEL"; or empty
  double through_cycles = 0;  ///< of that instruction, its least right stall count; part of `cycles` no longer
  std::optional<Estimate> cycles;  ///< slope of the chain over its length, cycles an instruction

  /// Of a fixed latency: the least stall count from which on every chain computes what it computes with the largest
  /// one.
  std::optional<int> least_right;
  std::vector<int> wrong;               ///< stall counts with which it did not
  std::optional<int> busy_least_right;  ///< the same while four warps of each sub-partition do likewise
  std::string note;                     ///< why something of this is missing

  bool operator==(const DependencyLatency&) const = default;
};

/// What one warp instruction takes of a sub-partition where independent ones follow each other.
struct IssueCell {
  int warps = 1;  ///< of the block; a sub-partition has a quarter of four and more
  int stall = 1;
  bool yield = false;
  std::vector<std::pair<int, double>> curve;  ///< cycles of the window over the number of instructions of each warp
  double cycles = 0, low = 0, high = 0;       ///< an instruction and sub-partition; 0: the curve is no line
  std::string note;

  bool operator==(const IssueCell&) const = default;
};

/// What was measured of one form of a machine instruction.
struct MachineRow {
  std::string key;   ///< fields/form_table.hpp: "@PT FFMA R#, R#, R#, R#"
  std::string text;  ///< of the word
  Word word;
  bool scoreboard = false;     ///< whether a scoreboard says when the result is there
  std::optional<int> encoded;  ///< the fewest cycles that ptxas leaves before the result is read (fields/form.hpp)
  std::vector<DependencyLatency> latencies;
  std::vector<IssueCell> cells;
  std::optional<Estimate> interval;  ///< cycles between two of one sub-partition, of many warps
  std::optional<Error> reason;       ///< why there is nothing

  bool operator==(const MachineRow&) const = default;
};

}  // namespace warpclock
