#include "record/tolerance.hpp"

#include <algorithm>
#include <cmath>

namespace warpclock {
namespace {

/// A row of an instruction table has a latency for each operand, "latency.a", and "encoded.a" if it is encoded, or
/// "encoded" for all of them.
bool has_encoded_partner(const CaseRecord& row, const Estimate& estimate) {
  constexpr std::string_view latency = "latency.";
  if (!estimate.name.starts_with(latency)) return false;
  const std::string partner = "encoded." + estimate.name.substr(latency.size());
  return std::ranges::any_of(row.estimates,
                             [&](const Estimate& one) { return one.name == partner || one.name == "encoded"; });
}

}  // namespace

Kind kind_of(const CaseRecord& row, const Estimate& estimate) {
  if (estimate.method == "rate" || estimate.method == "slowest")
    return estimate.unit.starts_with("B/") ? Kind::Bandwidth : Kind::Rate;
  if (estimate.method == "counter") return Kind::Counter;
  if (estimate.method == "fact" || estimate.method == "encoded") return Kind::Exact;
  const bool encoded = row.window.encoded_cycles || has_encoded_partner(row, estimate);
  return encoded && estimate.method == "slope" ? Kind::FixedLatency : Kind::Cycles;
}

double reach_of(const Estimate& estimate) {
  return std::max(estimate.high - estimate.value, estimate.value - estimate.low);
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
