#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "model/machine.hpp"

namespace warpclock {

/// The value at a key: on a line between the keys there are, and that of the nearest one beyond them. Not of no points.
[[nodiscard]] double on_line(const std::map<double, double>& points, double key);

/// A leaf of the entries whose names are a prefix and a number, by this number.
[[nodiscard]] std::map<double, double> numbered_leaves(const std::vector<Entry>& entries, std::string_view prefix,
                                                       std::string_view leaf);

/// A rate over a size: the entries of `transfers` whose names are a prefix and a number, each with the same leaf.
class RateCurve {
 public:
  RateCurve(const Machine& machine, const std::string& prefix, const std::string& leaf);

  [[nodiscard]] bool empty() const { return cycles_.empty(); }
  /// Cycles of one: on a line between the sizes that have rows, and that of the nearest one beyond them. Not if empty.
  [[nodiscard]] double at(double size) const;
  /// The rows, by size.
  [[nodiscard]] const std::map<double, double>& cycles() const { return cycles_; }
  /// The fewest and the most cycles of one. Not if empty.
  [[nodiscard]] double least() const;
  [[nodiscard]] double most() const;

 private:
  std::map<double, double> cycles_;  ///< of what the rate counts, by size
};

}  // namespace warpclock
