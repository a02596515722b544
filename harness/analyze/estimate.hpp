#pragma once

#include <string>
#include <vector>

#include "gpu/job/samples.hpp"
#include "plan/measure.hpp"

namespace warpclock {

/// A number with its interval. `low`..`high` covers the middle of the evidence (see analyze/fit.hpp for each method).
struct Estimate {
  std::string name;
  double value = 0;
  double low = 0, high = 0;
  std::string unit;
  std::string method;  ///< "slope", "rate", "elapsed", "fact", "counter", "encoded", "intercept"
  std::int64_t n = 0;  ///< samples behind it
  std::string note;

  bool operator==(const Estimate&) const = default;
};

/// A premise, judged. Unknown (no counter permission) is neither held nor broken: `known` is false.
struct Premise {
  std::string text;
  bool known = false;
  bool held = false;
  double value = 0;
  std::string why_unknown;

  bool operator==(const Premise&) const = default;
};

}  // namespace warpclock
