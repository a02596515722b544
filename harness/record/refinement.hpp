#pragma once

#include <string>
#include <vector>

#include "plan/parameters.hpp"
#include "record/record.hpp"

namespace warpclock {

/// A further point of a curve that is worth measuring.
struct Refinement {
  std::string probe;
  Parameters point;  ///< all parameters of the case, in their order

  bool operator==(const Refinement&) const = default;
};

/// Points to measure inside the brackets of level ends that are known less precisely than the finds of a record request
/// (FeatureQuery::within), at most `most` in each. They are multiples of the largest factor that all values of the axis
/// share. Empty if everything is known well enough, or if no such point is left. Pure.
[[nodiscard]] std::vector<Refinement> refinements(const Record& record, std::size_t most);

}  // namespace warpclock
