#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "record/record.hpp"

namespace warpclock {

/// Why a number may come out otherwise in another process by more than its kind allows (tolerance.hpp).
struct Cause {
  std::string text;  ///< a clause, "it lies on none of the curve's levels"
  double most = 0;   ///< the largest difference between two processes that it explains, in the estimate's unit
  double reach = 0;  ///< of the number's interval, as a share of it, where that is the cause

  [[nodiscard]] std::string words() const;
};

/// Causes for all numbers of a record, into which it points.
class Variations {
 public:
  explicit Variations(const Record& record);

  /// Nothing where nothing says that the number would not repeat. In this order: what the probe's config says
  /// (`varies`), of a point of a curve that it lies on none of the levels that the curve has, and of an interval that
  /// it reaches further than half of what two runs may differ. The interval explains a difference of three times its
  /// reach; the others, which no interval of one process shows, half of the number too.
  [[nodiscard]] std::optional<Cause> cause(const CaseRecord& row, const Estimate& estimate) const;

 private:
  std::map<std::string_view, std::string_view> said_;                     ///< by probe
  std::set<std::pair<const CaseRecord*, std::string_view>> on_no_level_;  ///< and the measure
};

}  // namespace warpclock
