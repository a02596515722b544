#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "predict/program/costs.hpp"
#include "predict/program/program.hpp"

namespace warpclock {

/// The lines of constant memory that the nearest caches of an SM have, and when. At the begin of a launch they have
/// none: a stand-alone kernel on an H200 whose warps begin 3,000 cycles apart waits 62 cycles for each new line that an
/// operand or ULDC reads, in each sub-partition, and 71 for one that LDC reads, once on the SM; a second block waits
/// for none. What they have no room for is not modelled.
class UsedConstants {
 public:
  /// `missed`: cycles until a line is there.
  explicit UsedConstants(double missed) : missed_(missed) {}

  /// When the lines are there that a step of a sub-partition reads at `now`.
  [[nodiscard]] double ready(const ConstantReads& reads, std::size_t part, double now);

 private:
  double missed_;
  std::array<std::map<std::uint32_t, double>, sub_partitions> of_parts_;  ///< by line, when it is there
  std::map<std::uint32_t, double> of_loads_;
};

}  // namespace warpclock
