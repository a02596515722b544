#pragma once

#include <string>
#include <vector>

#include "plan/parameters.hpp"
#include "record/record.hpp"

namespace warpclock {

/// A point of a curve that is worth measuring, beside those that there are.
struct Refinement {
  std::string probe;
  Parameters point;  ///< all of the case's, in their order

  bool operator==(const Refinement&) const = default;
};

/// Where levels end less exactly than the finds of a record ask for (Find::within), points inside the brackets, no more
/// than `most` in each. They are multiples of what every value of the axis is a multiple of. Empty when all is known
/// well enough, or when there is no such point left. Pure.
[[nodiscard]] std::vector<Refinement> refinements(const Record& record, std::size_t most);

}  // namespace warpclock
