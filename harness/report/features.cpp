#include "report/features.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <utility>

#include "analyze/levels.hpp"
#include "analyze/statistics.hpp"
#include "report/outcome.hpp"

namespace warpclock {
namespace {

constexpr double nearly_all = 99;  // percent
constexpr double nearly_none = 1;

/// The cases of a probe that differ in nothing but the axis, as a curve of one measure.
struct Run {
  std::string id;
  Parameters parameters;
  std::vector<const CaseRecord*> rows;  ///< of the curve's points
  Curve curve;
};

Parameters without(Parameters parameters, const std::string& name) {
  std::erase_if(parameters, [&](const auto& parameter) { return parameter.first == name; });
  return parameters;
}

std::optional<CurvePoint> point_of(const CaseRecord& row, const std::string& axis, const std::string& measure,
                                   std::string& unit) {
  if (row.outcome != Outcome::Measured) return std::nullopt;
  const Value* at = find(row.parameters, axis);
  const auto* number = at == nullptr ? nullptr : std::get_if<std::int64_t>(at);
  const auto estimate = std::ranges::find(row.estimates, measure, &Estimate::name);
  if (number == nullptr || estimate == row.estimates.end()) return std::nullopt;
  unit = estimate->unit;
  return CurvePoint{static_cast<double>(*number), estimate->value, estimate->low, estimate->high};
}

std::vector<Run> runs_of(const Record& record, const ProbeRecord& probe, const std::string& measure) {
  std::vector<Run> runs;
  for (const CaseRecord& row : record.cases) {
    if (row.probe != probe.name) continue;
    std::string unit;
    const auto point = point_of(row, probe.along, measure, unit);
    if (!point) continue;
    Parameters parameters = without(row.parameters, probe.along);
    auto run = std::ranges::find(runs, parameters, &Run::parameters);
    if (run == runs.end()) {
      run = runs.insert(run, Run{probe.name, std::move(parameters), {}, {probe.along, "", measure, unit, {}}});
    }
    run->rows.push_back(&row);
    run->curve.points.push_back(*point);
  }
  return runs;
}

/// Lowest and highest of a counter over some rows; nothing when one of them lacks it.
std::optional<std::pair<double, double>> range(const std::vector<const CaseRecord*>& rows, const char* counter) {
  std::optional<std::pair<double, double>> seen;
  for (const CaseRecord* row : rows) {
    const auto value = row->counters.find(counter);
    if (value == row->counters.end()) return std::nullopt;
    if (!seen) seen.emplace(value->second, value->second);
    seen->first = std::min(seen->first, value->second);
    seen->second = std::max(seen->second, value->second);
  }
  return seen;
}

/// Says where the loads of these rows were answered, or why that is not known.
void name_level(Feature& feature, const std::vector<const CaseRecord*>& rows) {
  const auto l1 = range(rows, "l1_hit_rate");
  const auto l2 = range(rows, "l2_hit_rate_ld");
  if (!l1) {
    feature.note = "no counter says where its loads were answered";
    return;
  }
  const std::string said = fmt::format("L1 had {:.1f} to {:.1f} % of the sectors", l1->first, l1->second);
  if (l1->first >= nearly_all) {
    feature.where = "L1";
    feature.note = said;
  } else if (l1->second > nearly_none || !l2) {
    feature.note = said + ": no level by itself";
  } else {
    feature.note = fmt::format("{}, L2 {:.1f} to {:.1f} %", said, l2->first, l2->second);
    if (l2->first >= nearly_all) {
      feature.where = "L2";
    } else if (l2->second <= nearly_none) {
      feature.where = "DRAM";
    } else {
      feature.note += ": no level by itself";
    }
  }
}

Feature feature_of(const Run& run, std::string name, std::string unit) {
  Feature feature;
  feature.probe = run.id;
  feature.parameters = run.parameters;
  feature.name = std::move(name);
  feature.unit = std::move(unit);
  return feature;
}

void add_levels(const Run& run, std::vector<Feature>& features) {
  const Levels found = find_levels(run.curve);
  for (std::size_t i = 0; i < found.levels.size(); ++i) {
    const Level& level = found.levels[i];
    Feature value = feature_of(run, fmt::format("{}.{}", run.curve.name, i + 1), run.curve.unit);
    value.value = level.value;
    value.low = level.low;
    value.high = level.high;
    value.residual = level.residual;
    value.from = run.curve.points[level.first].at;
    value.to = run.curve.points[level.last].at;
    std::vector<const CaseRecord*> rows;
    for (std::size_t k = level.first; k <= level.last; ++k) {
      if (std::ranges::count(level.outliers, k) == 0) rows.push_back(run.rows[k]);
    }
    name_level(value, rows);
    const std::string where = value.where;
    features.push_back(std::move(value));
    if (i >= found.boundaries.size()) continue;
    const Boundary& end = found.boundaries[i];
    Feature size = feature_of(run, fmt::format("{}.{}", run.curve.axis, i + 1), "");
    size.value = end.best;
    size.low = end.low;
    size.high = end.high;
    size.confidence = end.confidence;
    size.where = where;
    features.push_back(std::move(size));
  }
}

}  // namespace

std::vector<Feature> find_features(const Record& record) {
  std::vector<Feature> features;
  for (const ProbeRecord& probe : record.probes) {
    for (const Find& find : probe.finds) {
      for (const Run& run : runs_of(record, probe, find.of)) {
        switch (find.what) {
          case Find::What::Levels:
            add_levels(run, features);
            break;
          case Find::What::Saturation:
          case Find::What::Step:
          case Find::What::Period:
          case Find::What::Spread:
            break;
        }
      }
    }
  }
  return features;
}

}  // namespace warpclock
