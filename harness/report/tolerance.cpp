#include "report/tolerance.hpp"

#include <cmath>

namespace warpclock {

Kind kind_of(const CaseRecord& row, const Estimate& estimate) {
  if (estimate.method == "rate") return estimate.unit.starts_with("B/") ? Kind::Bandwidth : Kind::Rate;
  if (estimate.method == "counter") return Kind::Counter;
  if (estimate.method == "fact" || estimate.method == "encoded") return Kind::Exact;
  return row.window.encoded_cycles && estimate.method == "slope" ? Kind::FixedLatency : Kind::Cycles;
}

double tolerance_of(Kind kind, const Estimate& estimate) {
  const double size = std::abs(estimate.value);
  switch (kind) {
    case Kind::FixedLatency:
      return 0.1;
    case Kind::Rate:
      return 0.005 * size;
    case Kind::Bandwidth:
      return 0.02 * size;
    case Kind::Cycles:
      return 0.005 * size;
    case Kind::Counter:
      return estimate.unit == "%" ? 1 : estimate.unit == "1" ? 0.01 : 0.01 * size;
    case Kind::Exact:
      return 0;
  }
  return 0;
}

}  // namespace warpclock
