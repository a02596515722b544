#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "analyze/estimate.hpp"
#include "record/record.hpp"
#include "report/numbers/kernel_design.hpp"

namespace warpclock {

/// How much of the shorter one's time is hidden behind the longer one: 1 where both take no longer than the longer one
/// alone, 0 where they take as long as one after the other, less where they are in each other's way.
struct Overlap {
  double value = 0;
  double low = 0, high = 0;  ///< by the ends of the intervals of the three numbers that it is made of
};

/// Two kinds of instructions side by side.
struct Pair {
  const CaseRecord* row = nullptr;     ///< null where no case has the two
  const Estimate* together = nullptr;  ///< cycles of one of each; null where the case has none
  std::optional<Overlap> overlap;      ///< nothing of a kind with itself
};

struct PairMatrix {
  std::vector<std::string> kinds;              ///< in the order of the record
  std::vector<std::optional<Estimate>> alone;  ///< cycles of one instruction, of each kind
  std::vector<Pair> pairs;                     ///< row by row; the same on both sides of the diagonal

  [[nodiscard]] const Pair& at(std::size_t row, std::size_t column) const { return pairs[row * kinds.size() + column]; }
};

/// Points into `record`. No kinds where it has no such cases. Pure.
[[nodiscard]] PairMatrix pair_matrix(const PairSource& source, const Record& record);

/// "98", in percent; "–" where there is none.
[[nodiscard]] std::string overlap_text(const Pair& pair);

}  // namespace warpclock
