#include "record/trace.hpp"

#include <algorithm>
#include <numeric>

#include "base/lookup.hpp"

namespace warpclock {

std::vector<double> place_means(const std::vector<const Row*>& rows) {
  std::vector<double> sums;
  std::vector<std::size_t> counts;
  for (const Row* row : rows) {
    if (row->places.size() > sums.size()) {
      sums.resize(row->places.size());
      counts.resize(row->places.size());
    }
    for (std::size_t i = 0; i < row->places.size(); ++i) {
      sums[i] += row->places[i];
      if (row->places[i] > 0) ++counts[i];
    }
  }
  for (std::size_t i = 0; i < sums.size(); ++i) {
    if (counts[i] != 0) sums[i] /= static_cast<double>(counts[i]);
  }
  return sums;
}

std::optional<Sides> sides_of_places(const std::vector<const Row*>& rows) {
  return find_sides(mapped(rows, [](const Row* row) { return row->places; }));
}

std::vector<PlaceGroup> place_groups(const std::vector<double>& places) {
  std::vector<PlaceGroup> groups;
  for (std::size_t i = 0; i < places.size(); ++i) {
    if (places[i] != 0) find_or_add(groups, places[i], &PlaceGroup::value).places.push_back(i);
  }
  return groups;
}

namespace {

std::optional<CurvePoint> point_of(const Row& row, const std::string& axis, const std::string& measure,
                                   std::string& unit) {
  if (row.outcome != Outcome::Measured) return std::nullopt;
  const Value* at = find(row.parameters, axis);
  const auto* number = at == nullptr ? nullptr : std::get_if<std::int64_t>(at);
  const auto estimate = std::ranges::find(row.estimates, measure, &Estimate::name);
  if ((number == nullptr && !axis.empty()) || estimate == row.estimates.end()) return std::nullopt;
  unit = estimate->unit;
  return CurvePoint{number == nullptr ? 0 : static_cast<double>(*number), estimate->value, estimate->low,
                    estimate->high};
}

void sort(Trace& trace) {
  std::vector<std::size_t> order(trace.rows.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, {}, [&](std::size_t i) { return trace.curve.points[i].at; });
  Trace sorted{trace.id,
               trace.parameters,
               {},
               {trace.curve.axis, trace.curve.axis_unit, trace.curve.name, trace.curve.unit, {}}};
  for (const std::size_t i : order) {
    sorted.rows.push_back(trace.rows[i]);
    sorted.curve.points.push_back(trace.curve.points[i]);
  }
  trace = std::move(sorted);
}

}  // namespace

Parameters curve_of(const Row& row, const std::string& axis) {
  Parameters parameters = row.parameters;
  std::erase_if(parameters, [&](const auto& parameter) { return parameter.first == axis; });
  return parameters;
}

Levels levels_of(const Trace& trace, const FeatureQuery& find) {
  constexpr double per_cent = 100;
  LevelOptions options;
  if (find.apart > 0) options.least_step = find.apart / per_cent;
  return find_levels(trace.curve, options);
}

std::vector<Trace> traces_of(const Record& record, const ProbeRecord& probe, FeatureQuery find) {
  if (find.over == over_places) find.over = probe.along;
  std::vector<Trace> traces;
  for (const Row& row : record.rows) {
    if (row.probe != probe.name) continue;
    std::string unit;
    const auto point = point_of(row, find.over, find.of, unit);
    if (!point) continue;
    Trace& trace = find_or_add(traces, curve_of(row, find.over), &Trace::parameters);
    if (trace.rows.empty()) {
      trace.id = probe.name;
      trace.curve = {find.over, "", find.of, unit, {}};
    }
    trace.rows.push_back(&row);
    trace.curve.points.push_back(*point);
  }
  for (Trace& trace : traces) sort(trace);
  return traces;
}

}  // namespace warpclock
