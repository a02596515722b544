#include "record/refinement.hpp"

#include <numeric>

#include "analyze/curve/levels.hpp"
#include "record/trace.hpp"

namespace warpclock {
namespace {

constexpr double per_cent = 100;

double common_factor(const Curve& curve) {
  std::int64_t factor = 0;
  for (const CurvePoint& point : curve.points) factor = std::gcd(factor, static_cast<std::int64_t>(point.at));
  return static_cast<double>(factor);
}

Parameters with(Parameters parameters, const std::string& axis, double at) {
  for (auto& [name, value] : parameters) {
    if (name == axis) value = static_cast<std::int64_t>(at);
  }
  return parameters;
}

}  // namespace

std::vector<Refinement> refinements(const Record& record, std::size_t most) {
  std::vector<Refinement> wanted;
  for (const ProbeRecord& probe : record.probes) {
    for (const FeatureQuery& find : probe.finds) {
      if (find.what != FeatureQuery::What::Levels || find.within <= 0) continue;
      for (const Trace& trace : traces_of(record, probe, find)) {
        const RefineOptions options{find.within / per_cent, most, common_factor(trace.curve)};
        for (const double at : refine(levels_of(trace, find), trace.curve, options)) {
          wanted.push_back({probe.name, with(trace.rows.front()->parameters, trace.curve.axis, at)});
        }
      }
    }
  }
  return wanted;
}

}  // namespace warpclock
