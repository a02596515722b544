#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "analyze/estimate.hpp"
#include "record/record.hpp"
#include "report/numbers/kernel_design.hpp"

namespace warpclock {

/// How much of the shorter one's time is hidden behind the longer one: 1 if both together take no longer than the
/// longer one alone, 0 if they take as long as one after the other, negative if they slow each other down.
struct Overlap {
  double value = 0;
  double low = 0, high = 0;  ///< from the ends of the intervals of the three numbers from which it is computed
};

/// Two kinds of instructions executed together.
struct Pair {
  const CaseRecord* row = nullptr;     ///< null if no case has the two
  const Estimate* together = nullptr;  ///< cycles of one of each; null if the case has no number
  std::optional<Overlap> overlap;      ///< nothing for a kind with itself
};

struct PairMatrix {
  std::vector<std::string> kinds;              ///< in the order of the record
  std::vector<std::optional<Estimate>> alone;  ///< cycles of one instruction, for each kind
  std::vector<Pair> pairs;                     ///< row by row; the same on both sides of the diagonal

  [[nodiscard]] const Pair& at(std::size_t row, std::size_t column) const { return pairs[row * kinds.size() + column]; }
};

/// Points into `record`. Has no kinds if the record has no such cases. Pure.
[[nodiscard]] PairMatrix pair_matrix(const PairSource& source, const Record& record);

/// "98", in percent; "–" if there is none.
[[nodiscard]] std::string overlap_text(const Pair& pair);

}  // namespace warpclock
