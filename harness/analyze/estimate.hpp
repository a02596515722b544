#pragma once

#include <string>

#include "gpu/job/samples.hpp"
#include "plan/measure.hpp"

namespace warpclock {

/// A number with its interval. See analyze/fit.hpp for what `low`..`high` means for each method.
struct Estimate {
  std::string name;
  double value = 0;
  double low = 0, high = 0;
  std::string unit;
  std::string method;  ///< "slope", "rate", "elapsed", "slowest", "fact", "counter", "encoded", "intercept"
  std::int64_t n = 0;  ///< number of samples
  std::string note;

  bool operator==(const Estimate&) const = default;
};

/// A premise with its verdict. If it could not be checked (no permission for counters), `known` is false and `held` has
/// no meaning.
struct Premise {
  std::string text;
  bool known = false;
  bool held = false;
  double value = 0;
  std::string why_unknown;

  bool operator==(const Premise&) const = default;
};

}  // namespace warpclock
