#include "record/features.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <iterator>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "analyze/curve/curve.hpp"
#include "analyze/curve/levels.hpp"
#include "analyze/spread.hpp"
#include "base/lookup.hpp"
#include "gpu/job/statistics.hpp"
#include "record/trace.hpp"

namespace warpclock {
namespace {

constexpr double nearly_all = 99;  // percent of the sectors
constexpr double nearly_none = 1;
constexpr double flat = 0.01;  // how far a point answered by one cache may lie from the others, as a share

/// The range of a counter over some rows.
struct Counted {
  double low, high;
  std::size_t lacking;  ///< rows without it
};

/// Nothing if more than one row in ten lacks the counter. In a chase through nearly as much as L2 holds, the share is
/// missing if the hits of the warm-up differ between the two launches.
std::optional<Counted> range(const std::vector<const Row*>& rows, const char* counter) {
  std::vector<double> values;
  for (const Row* row : rows) {
    if (const auto value = row->counters.find(counter); value != row->counters.end()) values.push_back(value->second);
  }
  const std::size_t lacking = rows.size() - values.size();
  if (values.empty() || lacking * 10 > rows.size()) return std::nullopt;
  const auto [low, high] = std::ranges::minmax(values);
  return Counted{low, high, lacking};
}

/// Determines where the loads of these rows were answered, or why that is unknown.
void name_level(Feature& feature, const std::vector<const Row*>& rows) {
  const auto l1 = range(rows, "l1_hit_rate").or_else([&rows] { return range(rows, "tex_hit_rate"); });
  const auto l2 = range(rows, "l2_hit_rate_ld");
  if (!l1) {
    feature.note = "no counter says where its loads were answered";
    return;
  }
  if (feature.residual > flat) {
    feature.note = "a point of it lies too far from it: no level by itself";
    return;
  }
  const std::string said = fmt::format("L1 had {:.1f} to {:.1f} % of the sectors", l1->low, l1->high);
  const auto without = [&](std::size_t lacking) {
    return lacking == 0 ? "" : fmt::format(", {} of {} points uncounted", lacking, rows.size());
  };
  if (l1->low >= nearly_all) {
    feature.where = "L1";
    feature.note = said + without(l1->lacking);
  } else if (l1->high > nearly_none || !l2) {
    feature.note = said + ": no level by itself";
  } else {
    feature.note = fmt::format("{}, L2 {:.1f} to {:.1f} %", said, l2->low, l2->high);
    if (l2->low >= nearly_all) {
      feature.where = "L2";
    } else if (l2->high <= nearly_none) {
      feature.where = "DRAM";
    } else {
      feature.note += ": no level by itself";
    }
    feature.note += without(l2->lacking);
  }
}

Feature feature_of(const Trace& trace, std::string name, std::string unit, double value, double low, double high) {
  Feature feature;
  feature.probe = trace.id;
  feature.parameters = trace.parameters;
  feature.name = std::move(name);
  feature.value = value;
  feature.low = low;
  feature.high = high;
  feature.unit = std::move(unit);
  return feature;
}

Feature exact_feature(const Trace& trace, std::string name, std::string unit, double value) {
  return feature_of(trace, std::move(name), std::move(unit), value, value, value);
}

void add_levels(const Trace& trace, const FeatureQuery& find, std::vector<Feature>& features) {
  const Levels found = levels_of(trace, find);
  for (std::size_t i = 0; i < found.levels.size(); ++i) {
    const Level& level = found.levels[i];
    Feature value = feature_of(trace, fmt::format("{}.{}", trace.curve.name, i + 1), trace.curve.unit, level.value,
                               level.low, level.high);
    value.residual = level.residual;
    value.from = trace.curve.points[level.first].at;
    value.to = trace.curve.points[level.last].at;
    std::vector<const Row*> rows;
    for (std::size_t k = level.first; k <= level.last; ++k) {
      if (level.holds(k)) rows.push_back(trace.rows[k]);
    }
    name_level(value, rows);
    const std::string where = value.where;
    features.push_back(std::move(value));
    if (i >= found.boundaries.size()) continue;
    const Boundary& end = found.boundaries[i];
    Feature size = feature_of(trace, fmt::format("{}.{}", trace.curve.axis, i + 1), "", end.best, end.low, end.high);
    size.confidence = end.confidence;
    size.where = where;
    features.push_back(std::move(size));
  }
}

/// Bytes in flight at a point of the curve: the product of the factors, which are names or numbers.
double in_flight(const Trace& trace, const FeatureQuery& find, double at) {
  double bytes = 1;
  for (const std::string& factor : find.in_flight) {
    const Value* value = warpclock::find(trace.parameters, factor);
    if (factor == find.over) {
      bytes *= at;
    } else if (value != nullptr && std::holds_alternative<std::int64_t>(*value)) {
      bytes *= static_cast<double>(std::get<std::int64_t>(*value));
    } else {
      bytes *= std::strtod(factor.c_str(), nullptr);
    }
  }
  return bytes;
}

void add_reach(const Trace& trace, const FeatureQuery& find, const char* share, const Reach& reach,
               std::vector<Feature>& features) {
  const bool bytes = !find.in_flight.empty();
  const auto place = [&](double at) { return bytes ? in_flight(trace, find, at) : at; };
  Feature feature = feature_of(trace, fmt::format("{}.{}", bytes ? "in_flight" : trace.curve.axis, share),
                               bytes ? "B" : "", place(reach.best), place(reach.low), place(reach.high));
  feature.confidence = 0.95;
  feature.note = fmt::format("reaches {} % of the plateau", share);
  features.push_back(std::move(feature));
}

void add_saturation(const Trace& trace, const FeatureQuery& find, std::vector<Feature>& features) {
  const auto found = find_saturation(trace.curve);
  if (!found) return;
  Feature plateau =
      feature_of(trace, trace.curve.name + ".plateau", trace.curve.unit, found->plateau, found->low, found->high);
  plateau.note = found->saturated() ? fmt::format("{} points", found->points)
                                    : fmt::format("not saturated: {}", found->rising ? "still rising at the end"
                                                                                     : "no second point as high");
  features.push_back(std::move(plateau));
  if (found->at90) add_reach(trace, find, "90", *found->at90, features);
  if (found->at99) add_reach(trace, find, "99", *found->at99, features);
}

void add_steps(const Trace& trace, std::vector<Feature>& features) {
  const std::vector<Step> steps = find_steps(trace.curve);
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const Step& step = steps[i];
    Feature feature =
        feature_of(trace, fmt::format("{}.{}", trace.curve.axis, i + 1), "", step.high, step.low, step.high);
    feature.confidence = step.confidence;
    feature.note =
        fmt::format("{} goes from {:.4g} to {:.4g} {}", trace.curve.name, step.before, step.after, trace.curve.unit);
    features.push_back(std::move(feature));
  }
}

void add_period(const Trace& trace, std::vector<Feature>& features) {
  const auto found = find_period(trace.curve);
  if (!found) return;
  Feature feature = exact_feature(trace, trace.curve.axis + ".period", "", found->period);
  feature.confidence = found->confidence;
  if (found->period == 0) feature.note = "it does not repeat";
  features.push_back(std::move(feature));
}

/// `place` describes where a value was seen, for an outlier.
void add_spread(const Trace& trace, const std::string& what, const std::vector<double>& values,
                const std::function<std::string(std::size_t)>& place, std::vector<Feature>& features) {
  const Spread found = find_spread(values);
  for (std::size_t i = 0; i < found.classes.size(); ++i) {
    const ValueClass& one = found.classes[i];
    Feature feature =
        feature_of(trace, fmt::format("{}.class{}", what, i + 1), trace.curve.unit, one.value, one.low, one.high);
    feature.confidence = found.confidence;
    feature.note = fmt::format("{:.0f} % of the places, {:.4g} to {:.4g}", 100 * one.share, one.least, one.most);
    features.push_back(std::move(feature));
  }
  for (const Outlier& outlier : found.outliers) {
    Feature feature = exact_feature(trace, fmt::format("{}.outlier", what), trace.curve.unit, values[outlier.index]);
    feature.note = fmt::format("{}, {:.1f} standard deviations off", place(outlier.index), outlier.z);
    features.push_back(std::move(feature));
  }
}

void add_spread(const Trace& trace, std::vector<Feature>& features) {
  const auto values = mapped(trace.curve.points, &CurvePoint::value);
  add_spread(
      trace, trace.curve.name, values,
      [&](std::size_t i) { return fmt::format("at {} = {:g}", trace.curve.axis, trace.curve.points[i].at); }, features);
}

void add_sides(const Trace& trace, const Sides& sides, std::vector<Feature>& features) {
  const auto on = [](const std::vector<bool>& side) { return std::ranges::count(side, false); };
  const auto add = [&](const char* name, double value, const Interval& interval) {
    Feature& feature = features.emplace_back(feature_of(trace, fmt::format("{}.{}", trace.curve.name, name),
                                                        trace.curve.unit, value, interval.low, interval.high));
    feature.note = fmt::format(
        "two sides, with {} and {} places, and {} and {} of the points: {:.0f} % of the variance that each place's and "
        "point's own distance leave",
        on(sides.column_side), std::ssize(sides.column_side) - on(sides.column_side), on(sides.row_side),
        std::ssize(sides.row_side) - on(sides.row_side), 100 * sides.share);
  };
  add("near", sides.near, sides.near_interval);
  add("far", sides.far, sides.far_interval);
}

/// If there are two sides: near and far. Else the classes of all places at all points, and those of each place's mean
/// over the points.
void add_spread_over_places(const Trace& trace, std::vector<Feature>& features) {
  const auto place_spread = [&] {
    add_spread(
        trace, trace.curve.name + ".place", place_means(trace.rows),
        [](std::size_t i) { return fmt::format("place {}", i); }, features);
  };
  if (const auto sides = sides_of_places(trace.rows)) {
    add_sides(trace, *sides, features);
    place_spread();
    return;
  }
  std::vector<double> all;
  for (const Row* row : trace.rows) {
    std::ranges::copy_if(row->places, std::back_inserter(all), [](double value) { return value > 0; });
  }
  const auto nowhere = [](std::size_t) { return std::string("a place alone"); };
  add_spread(trace, trace.curve.name, all, nowhere, features);
  place_spread();
}

void add_groups(const Trace& trace, std::vector<Feature>& features) {
  if (trace.rows.empty()) return;
  const std::vector<PlaceGroup> groups = place_groups(trace.rows.front()->places);
  Feature count = exact_feature(trace, trace.curve.name + ".groups", "", static_cast<double>(groups.size()));
  std::map<std::size_t, int, std::greater<>> sizes;
  for (const PlaceGroup& group : groups) ++sizes[group.places.size()];
  for (const auto& [size, times] : sizes) {
    count.note += fmt::format("{}{} of {}", count.note.empty() ? "places: " : ", ", times, size);
  }
  features.push_back(std::move(count));
}

}  // namespace

std::vector<Feature> find_features(const Record& record) {
  std::vector<Feature> features;
  for (const ProbeRecord& probe : record.probes) {
    for (const FeatureQuery& find : probe.finds) {
      for (const Trace& trace : traces_of(record, probe, find)) {
        switch (find.what) {
          case FeatureQuery::What::Levels:
            add_levels(trace, find, features);
            break;
          case FeatureQuery::What::Saturation:
            add_saturation(trace, find, features);
            break;
          case FeatureQuery::What::Step:
            add_steps(trace, features);
            break;
          case FeatureQuery::What::Period:
            add_period(trace, features);
            break;
          case FeatureQuery::What::Spread:
            find.over == over_places ? add_spread_over_places(trace, features) : add_spread(trace, features);
            break;
          case FeatureQuery::What::Groups:
            add_groups(trace, features);
            break;
          case FeatureQuery::What::Fragment:
          case FeatureQuery::What::Swizzle:
            break;  // drawn, but not a number
        }
      }
    }
  }
  return features;
}

}  // namespace warpclock
